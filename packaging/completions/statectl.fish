# Completion of the command lines of statectl and statehub. It asks the programs for verbs, options and operands and the
# hub for names, so that it knows what the installed version knows.

# The operands in front of the cursor, the verb first; fails behind what takes the rest of the line.
function __statehub_operands
    set -l skipped 0
    set -l ended 0
    set -l runs 0
    for word in (commandline -opc)[2..-1]
        if test $skipped = 1
            set skipped 0
        else if test $ended = 1; or not string match -qr -- '^-[^0-9.]' $word
            printf '%s\n' $word
            contains -- $word $__statehub_runners; and set runs 1
        else if test $word = --
            test $runs = 1; and return 1
            set ended 1
        else if contains -- (string replace -r '=.*' '' -- $word) $__statehub_commands
            return 1
        else if contains -- $word $__statehub_valued
            set skipped 1
        end
    end
    return 0
end

# Whether the verb is one of some.
function __statehub_verb
    set -l operands (__statehub_operands); or return
    set -q operands[1]; and contains -- $operands[1] $argv
end

# Whether the cursor is at an operand of a verb: `__statehub_at VERB FIRST LAST`, counted behind the verb.
function __statehub_at
    set -l operands (__statehub_operands); or return
    set -l count (count $operands)
    set -q operands[1]; and test $operands[1] = $argv[1] -a $count -ge $argv[2] -a $count -le $argv[3]
end

# Whether the verb is still to come.
function __statehub_wants_verb
    set -l operands (__statehub_operands); and not set -q operands[1]
end
function __statehub_wants_first
    test (count (commandline -opc)) = 1
end

# The command behind what takes the rest of the line, as a command line of its own.
function __statehub_command
    set -l words (commandline -opc)
    set -l runs 0
    for i in (seq 2 (count $words))
        contains -- $words[$i] $__statehub_runners; and set runs 1
        if contains -- $words[$i] $__statehub_commands; or test $runs = 1 -a $words[$i] = --
            complete -C (string join ' ' -- (string escape -- $words[(math $i + 1)..-1]) (commandline -ct))
            return
        end
    end
end

# The options that say which hub the command line means.
function __statehub_place
    set -l words (commandline -opc)
    set -l place
    for i in (seq (count $words))
        switch $words[$i]
            case --user --system
                set place $words[$i]
            case --socket
                set place --socket (string replace -r '^~/' $HOME/ -- $words[(math $i + 1)])
            case '--socket=*'
                set place --socket (string replace -r '^--socket=(~/)?' '$1' -- $words[$i] | string replace -r '^~/' $HOME/)
        end
    end
    set -q place[1]; and printf '%s\n' $place
end

# The names that the hub has.
function __statehub_stores
    set -l words (commandline -opc)
    $words[1] (__statehub_place) --timeout 1 list 2>/dev/null
end

# The values that a store takes, if these are few. The store is so many operands in front of the cursor.
function __statehub_values
    set -l operands (__statehub_operands); or return
    set -l words (commandline -opc)
    set -l at (math (count $operands) + 1 - $argv[1])
    test $at -gt 1; or return
    $words[1] (__statehub_place) --timeout 1 describe $operands[$at] 2>/dev/null \
        | string replace -rf '^(?:choices: +|type: +boolean)(.*)$' '$1' \
        | string replace -r '^$' 'true, false' | string split ', '
end

# What a placeholder of the help stands for, as arguments of complete: `__statehub_offer PLACEHOLDER SUMMARY`
function __statehub_offer
    switch $argv[1]
        case PATH FILE
            printf '%s\n' -r -F
        case DIR
            printf '%s\n' -x -a '(__fish_complete_directories (commandline -ct))'
        case VALUE
            printf '%s\n' -x -a '(__statehub_values 1)'
        case V
            printf '%s\n' -x -a '(__statehub_values 2)'
        case USER
            printf '%s\n' -x -a '(__fish_complete_users)'
        case '*STORE*' '*GLOB*'
            printf '%s\n' -x -a '(__statehub_stores)'
        case '*'
            printf '%s\n' -x
            if string match -qr -- '^[a-z]+(\|[a-z]+)+$' $argv[1]
                printf '%s\n' -a (string replace -a '|' ' ' -- $argv[1])
            else if string match -qr -- '^[a-z]+(, [a-z]+)* or [a-z]+$' $argv[2]
                printf '%s\n' -a (string replace -ar ',? or |, ' ' ' -- $argv[2])
            end
    end
end

function __statehub_verbs
    $argv[1] --help 2>/dev/null \
        | string replace -rf '^(?:  | +state[a-z]+ )([a-z]+)(?: (?! ).*\S)?  +(\S.*)' '$1\t$2'
end

# Registers the options of a help text: `__statehub_options PROGRAM CONDITION < TEXT`
function __statehub_options
    while read -l line
        # Every group takes part, if with nothing: fish leaves out those that do not.
        set -l part (string match -r -- '^ +((?:-., )?) *(--[a-z-]+)((?: \S+)?)  +(.*)$' $line); or continue
        set -l short (string trim -c '-, ' -- $part[2])
        set -l value (string trim -- $part[4])
        set -l arguments -l (string trim -l -c - -- $part[3]) -d $part[5]
        test -n "$short"; and set -a arguments -s $short
        if string match -q -- '*...' $value; and not string match -q -- '*,*' $value
            set -ga __statehub_commands $part[3]
        else if test -n "$value"
            set -ga __statehub_valued $part[3] -$short
            set -a arguments (__statehub_offer $value $part[5])
        end
        complete -c $argv[1] -n $argv[2] $arguments
    end
end

# Registers that verbs belong somewhere: `__statehub_offer_verbs PROGRAM CONDITION`
function __statehub_offer_verbs
    for line in (__statehub_verbs $argv[1])
        set -l part (string split -m 1 \t -- $line)
        complete -c $argv[1] -n $argv[2] -a $part[1] -d $part[2]
    end
end

function __statehub_register
    set -l program $argv[1]
    set -l help ($program --help 2>/dev/null); or return
    set -l verbs (__statehub_verbs $program | string replace -r '\t.*' '')
    set -l every true
    set -l first __statehub_wants_verb
    # Where options come with every verb they may stand before it; else the verb is the first word.
    if not string match -qr '^[Uu]sage: .*VERB' -- $help
        set every "not __statehub_verb $verbs"
        set first __statehub_wants_first
    end
    complete -c $program -e
    complete -c $program -f
    printf '%s\n' $help | __statehub_options $program "__statehub_operands >/dev/null; and $every"
    __statehub_offer_verbs $program $first
    for verb in $verbs
        set help ($program help $verb 2>/dev/null; or $program $verb --help 2>/dev/null)
        printf '%s\n' $help | __statehub_options $program "__statehub_verb $verb"
        set -l usage (string match -r "^[Uu]sage: state[a-z]+ $verb.*" -- $help)[1]
        set -l position 0
        for word in (string replace -ar '\[(-|OPTION)[^]]*\]' '' -- $usage | string split -n ' ')[4..-1]
            string match -qr '^[<>]$' -- $word; and break
            if test $word = --
                set -ga __statehub_runners $verb
                break
            end
            set position (math $position + 1)
            set -l last $position
            string match -q '*...*' -- $word; and set last 999999
            set word (string replace -ar '[][]|\.\.\.' '' -- $word)
            if test $word = VERB
                __statehub_offer_verbs $program "__statehub_at $verb $position $last"
            else
                complete -c $program -n "__statehub_at $verb $position $last" (__statehub_offer $word '')
            end
        end
    end
    complete -c $program -n 'not __statehub_operands >/dev/null' -a '(__statehub_command)'
end

set -g __statehub_valued
set -g __statehub_commands
set -g __statehub_runners
__statehub_register statectl
