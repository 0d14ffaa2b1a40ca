#!/bin/sh
# Installs the executable of svc on Linux, with its man pages and shell completions.
#   SVC_VERSION      version to install
#   SVC_INSTALL_DIR  folder of the executable (default: ~/.local/bin)
#   SVC_RELEASES     address of the releases
# A release sets the defaults of SVC_VERSION and SVC_RELEASES in its copy of this script. Nothing is installed unless the
# SHA-256 checksum of the download matches the one of the release.
set -eu

version=${SVC_VERSION:-@VERSION@}
releases=${SVC_RELEASES:-@RELEASES@}
folder=${SVC_INSTALL_DIR:-${HOME:-}/.local/bin}
work=

cleanup() {
  [ -z "$work" ] || rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

download() {
  if command -v curl > /dev/null; then
    curl --fail --silent --show-error --location --proto-redir '=https' --output "$2" "$1" 2> "$work/error"
  elif command -v wget > /dev/null; then
    # wget would follow a redirect out of HTTPS.
    wget --quiet --max-redirect=0 --output-document="$2" "$1" 2> "$work/error" ||
      fail "cannot download $1 with wget, which must not follow redirects; install curl"
  else
    fail 'curl or wget is required'
  fi || fail "cannot download $1"
}

install_file() {
  mkdir -p "$(dirname "$2")" 2> /dev/null && cp "$1" "$2" 2> /dev/null
}

case $version$releases in
  *@*) fail 'set SVC_VERSION and SVC_RELEASES: svc has no releases yet' ;;
esac
case $(uname -s) in
  Linux) ;;
  *) fail "there is no executable for $(uname -s); install the npm package instead" ;;
esac
case $(uname -m) in
  x86_64 | amd64) machine=x64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) fail "there is no executable for $(uname -m); install the npm package instead" ;;
esac
command -v sha256sum > /dev/null || fail 'sha256sum is required'
[ ! -d "$folder" ] || [ -w "$folder" ] || fail "cannot write to $folder; set SVC_INSTALL_DIR to another folder"

name=svc-$version-linux-$machine
work=$(mktemp -d 2> /dev/null) || fail 'cannot create a temporary folder; set TMPDIR to another folder'
download "$releases/v$version/SHA256SUMS" "$work/SHA256SUMS"
download "$releases/v$version/$name.tar.gz" "$work/$name.tar.gz"
expected=$(awk -v file="$name.tar.gz" '$2 == file || $2 == "*" file { print $1 }' "$work/SHA256SUMS")
[ ${#expected} -eq 64 ] || fail "the checksums of the release do not list $name.tar.gz; the download may come from a proxy"
actual=$(sha256sum < "$work/$name.tar.gz" | cut -d ' ' -f 1)
[ "$actual" = "$expected" ] || fail "the checksum of $name.tar.gz does not match; nothing was installed"

tar -xzf "$work/$name.tar.gz" -C "$work" 2> /dev/null || fail "cannot extract $name.tar.gz"
"$work/$name/svc" --version > /dev/null 2>&1 || fail 'the executable does not run on this system; it needs glibc'
mkdir -p "$folder" 2> /dev/null || fail "cannot create $folder; set SVC_INSTALL_DIR to another folder"
# Renamed in the end, so that a running svc and an interrupted copy leave a complete executable.
if ! cp "$work/$name/svc" "$folder/.svc-$$" 2> /dev/null || ! mv -f "$folder/.svc-$$" "$folder/svc" 2> /dev/null; then
  rm -f "$folder/.svc-$$"
  fail "cannot write to $folder; set SVC_INSTALL_DIR to another folder"
fi

share=$(dirname "$folder")/share
for page in "$work/$name/man/"*.1; do
  install_file "$page" "$share/man/man1/$(basename "$page")" || break
done
install_file "$work/$name/completions/svc.bash" "$share/bash-completion/completions/svc" || true
install_file "$work/$name/completions/svc.fish" "$share/fish/vendor_completions.d/svc.fish" || true
install_file "$work/$name/completions/_svc" "$share/zsh/site-functions/_svc" || true

echo "Installed svc $version in $folder"
case :$PATH: in
  *:"$folder":*) ;;
  *) echo "Add $folder to PATH to run it as svc" ;;
esac
