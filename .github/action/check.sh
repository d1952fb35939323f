#!/usr/bin/env bash
# Checks, and leaves the exit status to a later step, so that the SARIF file is uploaded before it.
set -euo pipefail

reports=${RUNNER_TEMP:?}/karplint
mkdir -p "$reports"
arguments=(--format github --format "sarif=$reports/karplint.sarif")
arguments+=(--format "markdown=$reports/karplint.md")
if [ -n "${KARPLINT_FAIL_ON:-}" ]; then
  arguments+=(--fail-on "$KARPLINT_FAIL_ON")
fi

if [ -n "${KARPLINT_CATEGORY:-}" ]; then
  arguments+=(--sarif-category "$KARPLINT_CATEGORY")
fi

since=${KARPLINT_CHANGED_SINCE:-}
if [ "$since" = base ]; then
  since=${GITHUB_BASE_REF:+origin/$GITHUB_BASE_REF}
  if [ -n "$since" ]; then
    # What the branch left is found by its history, which a checkout usually lacks.
    deep=()
    if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
      deep=(--unshallow)
    fi
    git fetch --quiet --no-tags "${deep[@]+"${deep[@]}"}" origin \
      "+refs/heads/$GITHUB_BASE_REF:refs/remotes/origin/$GITHUB_BASE_REF"
  fi
fi
if [ -n "$since" ]; then
  arguments+=(--changed-since "$since")
fi

while read -r -a words; do
  arguments+=("${words[@]+"${words[@]}"}")
done <<< "${KARPLINT_ARGS:-}"
while IFS= read -r path; do
  if [ -n "$path" ]; then
    arguments+=("$path")
  fi
done <<< "${KARPLINT_PATHS:-}"

status=0
karplint check "${arguments[@]}" || status=$?
if [ "$status" -gt 1 ]; then
  echo "::error::karplint could not do its work"
  exit "$status"
fi

# GitHub refuses a summary of more than a mebibyte.
if [ "$(wc -c < "$reports/karplint.md")" -lt 1000000 ]; then
  cat "$reports/karplint.md" >> "${GITHUB_STEP_SUMMARY:?}"
fi
{
  echo "status=$status"
  echo "sarif=$reports/karplint.sarif"
} >> "${GITHUB_OUTPUT:?}"
