/** fish shows descriptions itself, and adds no blank after a candidate that ends in `/` or `=`. It prints an error for a missing program. */
export const FISH = `function __svc_complete
    command -q svc; or return
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    command svc __complete $typed[2..-1] "$current" 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
`;
