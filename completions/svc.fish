# Completion of svc: asks `svc __complete` for what may follow, a candidate a line with a tab before its description.
# A candidate that ends in / or = is the beginning of a longer word. What was typed is handed over and never evaluated.
function __svc_complete
    command -q svc; or return
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    command svc __complete $typed[2..-1] "$current" 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
