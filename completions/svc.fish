# Completion for svc: runs `svc __complete`, which prints one candidate per line, with a tab before its description.
# A candidate that ends in / or = is a prefix of a longer word. The typed words are passed as arguments and never evaluated.
#
# fish displays descriptions, and adds no blank after a candidate that ends in `/` or `=`. It would print an error if
# svc were missing, so the script checks first.
function __svc_complete
    command -q svc; or return
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    command svc __complete $typed[2..-1] "$current" 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
