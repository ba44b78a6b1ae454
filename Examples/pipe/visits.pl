#!/usr/bin/env perl
# Counts a visit, and follows the count up to three: statectl pipe in Perl.
use strict;
use warnings;
use IPC::Open2;
use JSON::PP;

my $pid = open2(my $from, my $to, "statectl", "pipe");
$| = 1;
sub ask { print $to encode_json({@_}), "\n" }
ask(id => "create", op => "create", name => "visits", type => "integer", initial => 0);
ask(id => "visits", op => "watch", names => ["visits"], every => JSON::PP::true);
ask(id => "add", op => "add", name => "visits");
while (my $line = <$from>) {
    my $message = decode_json($line);
    die $message->{error}{message}, "\n" if $message->{error};
    print "visitor $message->{value}\n" if ($message->{id} // "") eq "add";
    next unless ($message->{kind} // "") eq "changed";
    print "visits $message->{value}\n";
    last if $message->{value} >= 3;
}
