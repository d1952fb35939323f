#!/usr/bin/env bash
# Puts karplint into PATH: a released binary whose checksum is right, or one built here.
set -euo pipefail

releases=${KARPLINT_RELEASES:-https://github.com/karplint/karplint/releases}
version=${KARPLINT_VERSION:-}
action=${GITHUB_ACTION_PATH:?}

if [ "$version" = installed ]; then
  karplint --version
  exit
fi
if [ -z "$version" ]; then
  # The action and the program are released together.
  version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$action/Cargo.toml" | head -n 1)
fi
case $version in
  latest) from=$releases/latest/download ;;
  *) from=$releases/download/v${version#v} ;;
esac

archive=
program=karplint
case ${RUNNER_OS:?}-${RUNNER_ARCH:?} in
  Linux-X64) archive=karplint-x86_64-unknown-linux-musl.tar.gz ;;
  Linux-ARM64) archive=karplint-aarch64-unknown-linux-musl.tar.gz ;;
  macOS-X64) archive=karplint-x86_64-apple-darwin.tar.gz ;;
  macOS-ARM64) archive=karplint-aarch64-apple-darwin.tar.gz ;;
  Windows-*) archive=karplint-x86_64-pc-windows-msvc.zip program=karplint.exe ;;
esac

place=${RUNNER_TEMP:?}/karplint
mkdir -p "$place/bin"
cd "$place"

download() {
  curl --fail --silent --show-error --location --retry 3 --output "$1" "$from/$1"
}

if [ -n "$archive" ] && download "$archive" && download "$archive.sha256"; then
  if command -v sha256sum >/dev/null; then
    sha256sum --check "$archive.sha256"
  else
    shasum --algorithm 256 --check "$archive.sha256"
  fi
  case $archive in
    *.zip) unzip -q -o "$archive" "$program" -d bin ;;
    *) tar -xzf "$archive" -C bin "./$program" ;;
  esac
elif command -v cargo >/dev/null; then
  echo "karplint ${version} has no binary for ${RUNNER_OS} on ${RUNNER_ARCH}: it is built here"
  source=(--path "$action")
  if [ -n "${KARPLINT_VERSION:-}" ] && [ "$version" != latest ]; then
    source=(--git "${releases%/releases}" --tag "v${version#v}")
  fi
  cargo install --locked --root "$place" "${source[@]}"
else
  echo "::error::karplint ${version} cannot be downloaded from ${from}, and there is no cargo to build it"
  exit 1
fi

"$place/bin/$program" --version
echo "$place/bin" >> "${GITHUB_PATH:?}"
