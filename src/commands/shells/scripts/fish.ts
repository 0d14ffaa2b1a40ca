/** fish shows descriptions as they come, and puts no blank behind a candidate that ends in `/` or `=`. It says it aloud where a program is missing. */
export const FISH = `function __svc_complete
    command -q svc; or return
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    command svc __complete $typed[2..-1] "$current" 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
`;
