/**
 * Works as a file in `fpath` and when sourced. zsh quotes the inserted text itself, so `~/` is removed from candidates:
 * quoted, it would not mean the home folder. `_describe` treats colons and backslashes specially.
 */
export const ZSH = `#compdef svc
_svc() {
  local line value home=
  local -a whole begun
  [[ $PREFIX != '~/'* ]] || home='~/'
  for line in \${(f)"$(command svc __complete "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"}; do
    value=\${line%%$'\\t'*}
    line=\${line#"$value"}
    value=\${value#$home}
    line=\${\${value//\\\\/\\\\\\\\}//:/\\\\:}\${line/$'\\t'/:}
    case $value in
      */ | *=) begun+=("$line") ;;
      *) whole+=("$line") ;;
    esac
  done
  [[ -z $home ]] || compset -P '\\~/'
  _describe -t svc 'svc' whole -- begun -S ''
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
elif (( $+functions[compdef] )); then
  compdef _svc svc
fi
`;
