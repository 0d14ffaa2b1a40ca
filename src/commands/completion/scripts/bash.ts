/**
 * Works in bash 3.2 and without bash-completion. Bash splits words at `=` and `:`, so they are put together again by the
 * blanks of the line, and what stands before the last split is taken off the candidates. Each is quoted, so that what
 * it holds is not evaluated once the line runs; inside an open quote only those that need no quoting are offered.
 */
export const BASH = `_svc() {
  local rest=\${COMP_LINE:0:COMP_POINT} count=0 at blank word current cut candidate
  local -a typed
  for ((at = 0; at <= COMP_CWORD; at++)); do
    blank=\${rest%%[![:space:]]*}
    rest=\${rest#"$blank"}
    word=\${COMP_WORDS[at]}
    ((at < COMP_CWORD)) || word=$rest
    rest=\${rest#"$word"}
    if [[ -n $blank || $count -eq 0 ]]; then
      typed[count++]=$word
    else
      typed[count - 1]+=$word
    fi
  done
  current=\${typed[count - 1]}
  cut=
  case $word in
    '' | = | :) cut=$current ;;
    *) cut=\${current%"$word"} ;;
  esac
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=\${candidate%%$'\\t'*}
    candidate=\${candidate#"$cut"}
    case $current in
      [\\"\\']*) case $candidate in *[\\\\\\"\\'\\$\\\`\\!]*) continue ;; esac ;;
      *)
        case $candidate in
          '~/'*) printf -v word '%q' "\${candidate#'~/'}" && word="~/$word" ;;
          *) printf -v word '%q' "$candidate" ;;
        esac
        case $candidate in */ | *=) candidate=$word ;; *) candidate="$word " ;; esac
        ;;
    esac
    COMPREPLY[\${#COMPREPLY[@]}]=$candidate
  done < <(command svc __complete "\${typed[@]:1}" 2>/dev/null)
}
complete -o nospace -F _svc svc
`;
