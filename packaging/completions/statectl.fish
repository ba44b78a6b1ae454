# Completion of statectl's command line. It asks statectl for verbs and options and the hub for names, so that it knows
# what the installed version knows.

function __statectl_verbs
    statectl --help 2>/dev/null | string replace -rf '^  ([a-z]+)  +(.*)' '$1\t$2'
end

function __statectl_verb
    set -l verbs (__statectl_verbs | string replace -r '\t.*' '')
    for word in (commandline -opc)[2..-1]
        contains -- $word $verbs; and echo $word; and return
    end
    return 1
end

function __statectl_options
    begin
        statectl --help
        set -l verb (__statectl_verb); and statectl help $verb
    end 2>/dev/null | string replace -rf '^ *(?:-., +)?(--[a-z-]+)(?: \S+)*?  +(.*)' '$1\t$2'
end

function __statectl_place
    set -l words (commandline -opc)
    for i in (seq (count $words))
        switch $words[$i]
            case --user --system
                echo $words[$i]
            case --socket
                printf '%s\n' --socket $words[(math $i + 1)]
        end
    end
end

function __statectl_takes_names
    set -l verb (__statectl_verb); or return 1
    statectl help $verb 2>/dev/null | string match -rq '^Usage: .*(STORE|GLOB)'
end

complete -c statectl -f
complete -c statectl -n 'string match -q -- "-*" (commandline -ct)' -a '(__statectl_options)'
complete -c statectl -n 'not __statectl_verb >/dev/null; or test (__statectl_verb) = help' -a '(__statectl_verbs)'
complete -c statectl -n __statectl_takes_names -a '(statectl (__statectl_place) --timeout 1 list 2>/dev/null)'
complete -c statectl -l socket -r -F
