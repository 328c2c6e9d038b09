/**
 * What a person should look at twice before allowing it, as sentences. A small table of shapes that destroy, overwrite, publish, or hand
 * over control. It only ever adds a warning: that it is silent means nothing, and nowhere does the page say that something is harmless. Pure.
 */

import { urlOf } from "./links.js";
import { baseName, commandsOf } from "./shell.js";

/** @typedef {import("./wire").Fields} Fields */
/** @typedef {(args: string[], isPiped: boolean) => string|false|undefined} Rule */

/** How much of a long text is looked through; a person still sees all of it. */
const charactersMax = 200_000;
/** Programs that run another one, which may begin at any of their next words. */
const wrappers = new Set(["sudo", "doas", "pkexec", "su", "env", "nohup", "command", "builtin", "exec", "time", "nice", "ionice", "setsid", "stdbuf", "timeout",
  "xargs", "parallel", "watch", "ssh", "find", "fd", "flock", "then", "do", "else", "if", "while", "until", "!", "{", "busybox"]);
const containers = new Set(["docker", "podman", "kubectl"]);
/** So many words. */
const wrappedWordsMax = 40;

const deletes = "Deletes files.";
const discards = "Throws away work that is not committed.";
const machine = "Stops services or the machine itself.";
const remote = "Deletes or replaces something that runs elsewhere.";
const publishes = "Publishes something for others.";
const disk = "Writes over a disk.";
const unseen = "Runs text that another command writes, which nobody has seen.";

/**
 * @param {string[]} args
 * @param {string} letters One-letter options, also where several are in one word. @param {...string} names Long ones.
 */
const has = (args, letters, ...names) => args.some((arg) =>
  (/^-[A-Za-z]/.test(arg) && [...letters].some((letter) => arg.includes(letter))) || names.some((name) => arg === name || arg.startsWith(`${name}=`)));

/** @param {string[]} args @param {...string} wanted */
const names = (args, ...wanted) => args.some((arg) => wanted.includes(arg));

/** @param {string} sentence @param {...string} wanted @returns {Rule} */
const verbs = (sentence, ...wanted) => (args) => names(args, ...wanted) && sentence;

/** @type {Rule} */
const shell = (args, isPiped) => {
  const named = args.filter((arg) => !arg.startsWith("-"));
  if (args.some((arg) => arg === "<()" || /^(?:\$\(|`)/.test(arg))) return unseen;
  return isPiped && (!named.length || names(args, "-", "-s")) && !has(args, "c") && unseen;
};

/** @type {Rule} */
const copies = (args) => args.some((arg) => /^[^/\s]+:/.test(arg)) && "Copies files to or from another machine.";

/** @type {Rule} */
const container = (args) =>
  (names(args, "prune", "rmi") || (names(args, "volume", "rm", "down") && has(args, "fv", "--force", "--volumes")) || (names(args, "volume") && names(args, "rm")))
    ? "Deletes containers, images or their data." : names(args, "push") && publishes;

/** @type {Rule} */
function git(args) {
  const verb = args.find((arg, index) => !arg.startsWith("-") && !["-C", "-c"].includes(args[index - 1] ?? ""));
  const rest = args.slice(args.indexOf(verb ?? "") + 1);
  switch (verb) {
    case "push":
      if (has(rest, "f", "--force", "--force-with-lease", "--force-if-includes", "--mirror") || rest.some((arg) => arg.startsWith("+"))) {
        return "Overwrites what is on the remote: a forced push.";
      }
      return (has(rest, "d", "--delete", "--prune") || rest.some((arg) => arg.startsWith(":"))) && "Deletes branches or tags on the remote.";
    case "reset":
      return names(rest, "--hard", "--merge") && discards;
    case "clean":
      return has(rest, "fxX", "--force") && discards;
    case "checkout":
    case "switch":
      return (names(rest, "--", ".", "--discard-changes") || has(rest, "f", "--force")) && discards;
    case "restore":
      return !(names(rest, "--staged", "-S") && !names(rest, "--worktree", "-W")) && discards;
    case "stash":
      return names(rest, "drop", "clear") && discards;
    case "branch":
    case "tag":
      return has(rest, "Dd", "--delete") && "Deletes branches or tags.";
    case "filter-branch":
    case "filter-repo":
      return "Rewrites the history of the repository.";
    case "reflog":
    case "gc":
    case "update-ref":
      return (names(rest, "expire", "delete", "-d") || has(rest, "", "--prune")) && "Deletes what undoing would need.";
    default:
      return verb === "commit" && has(rest, "n", "--no-verify") && "Leaves out the repository's own checks.";
  }
}

/** @type {Record<string, Rule>} By program. */
const rules = {
  rm: (args) => (has(args, "rR", "--recursive", "--no-preserve-root") ? "Deletes folders with all that is in them." : deletes),
  unlink: () => deletes, shred: () => "Deletes files so that nothing brings them back.", truncate: () => "Empties or cuts files.",
  find: verbs("Deletes every file that it finds.", "-delete"), git,
  dd: (args) => args.some((arg) => arg.startsWith("of=")) && disk, mkfs: () => disk, wipefs: () => disk, fdisk: () => disk, sgdisk: () => disk, parted: () => disk,
  chmod: (args) => (has(args, "R", "--recursive") || args.some((arg) => /^0?777$|^[augo]*\+.*s/.test(arg))) && "Changes who may read, write or run files.",
  chown: (args) => has(args, "R", "--recursive") && "Changes who owns files.",
  kill: (args) => !names(args, "-0", "-l") && "Ends other processes.", pkill: () => "Ends other processes.", killall: () => "Ends other processes.",
  shutdown: () => machine, reboot: () => machine, poweroff: () => machine, halt: () => machine,
  systemctl: verbs(machine, "stop", "disable", "mask", "restart", "poweroff", "reboot", "kill"), service: verbs(machine, "stop", "restart"),
  sh: shell, bash: shell, zsh: shell, dash: shell, ksh: shell, fish: shell, python: shell, python3: shell, perl: shell, ruby: shell, node: shell, php: shell,
  source: (args) => names(args, "<()") && unseen, eval: () => "Runs text as a command.",
  curl: (args) => has(args, "TF", "--upload-file", "--form") || args.some((arg) => /^(-d|--data[a-z-]*=?)?@/.test(arg)) ? "Sends a file to another machine." : false,
  scp: copies, rsync: (args, isPiped) => (has(args, "", "--delete", "--remove-source-files") ? deletes : copies(args, isPiped)), sftp: copies,
  nc: () => "Opens a connection for any data.", ncat: () => "Opens a connection for any data.", socat: () => "Opens a connection for any data.",
  docker: container, podman: container,
  kubectl: verbs(remote, "delete", "drain", "replace"), helm: verbs(remote, "uninstall", "delete", "rollback"),
  terraform: verbs(remote, "destroy", "-auto-approve", "--auto-approve"), tofu: verbs(remote, "destroy", "-auto-approve", "--auto-approve"),
  aws: (args) => args.some((arg) => /^(rm|rb|delete|terminate)/.test(arg)) && remote, gcloud: verbs(remote, "delete"), az: verbs(remote, "delete", "purge"),
  gh: (args) => (names(args, "delete") ? remote : names(args, "merge", "release") && publishes),
  npm: verbs(publishes, "publish", "unpublish", "deprecate"), pnpm: verbs(publishes, "publish"), yarn: verbs(publishes, "publish"),
  cargo: verbs(publishes, "publish", "yank"), twine: verbs(publishes, "upload"), gem: verbs(publishes, "push", "yank"),
  dropdb: () => "Deletes from a database.", "redis-cli": (args) => args.some((arg) => /^flush(all|db)$/i.test(arg)) && "Deletes from a database.",
  crontab: (args) => has(args, "r") && "Deletes what runs by the clock.", iptables: verbs("Opens the firewall.", "-F", "--flush"), ufw: verbs("Opens the firewall.", "disable", "reset"),
  passwd: () => "Changes accounts.", useradd: () => "Changes accounts.", usermod: () => "Changes accounts.", userdel: () => "Changes accounts.", visudo: () => "Changes accounts.",
};

const administrators = new Set(["sudo", "doas", "pkexec", "su"]);
const statements = /\b(?:drop\s{1,9}(?:table|database|schema)|truncate\s{1,9}(?:table\s)?\w|delete\s{1,9}from)\b/i;
const device = /^\/dev\/(?:sd|nvme|disk|hd|vd|mmcblk)/;
/** Files that decide what runs or who gets in, or that often hold secrets. */
const delicate = /(?:^|\/)(?:\.env(?:\.[^/]*)?|\.ssh\/.*|authorized_keys|\.git\/(?:hooks\/.*|config)|\.(?:bash|zsh)(?:rc|env|_profile)|\.z?profile|\.npmrc|\.netrc|\.aws\/.*|\.kube\/.*|\.claude\/(?:settings[^/]*|hooks\/.*)|\.github\/workflows\/.*|sudoers.*|crontab)$|^\/etc\//;

/**
 * @param {string} text A command, as it would be given to a shell.
 * @returns {string[]}
 */
export function commandRisks(text) {
  const looked = text.slice(0, charactersMax);
  const found = commandsOf(looked).flatMap(({ words, isPiped }) => {
    // Settings of variables come before the program.
    const program = words.findIndex((word) => !/^\w+=/.test(word));
    if (program < 0) return [];
    const [name, ...args] = words.slice(program);
    return told([administrators.has(baseName(name)) && "Runs with the rights of the administrator.", ...judged(name, args, isPiped),
      ...wrapped(baseName(name), args).flatMap((word, index, all) => judged(word, all.slice(index + 1), isPiped)), ...written(words)]);
  });
  if (statements.test(looked)) found.push("Deletes from a database.");
  return [...new Set(found)];
}

/** @param {(string|false|undefined)[]} sentences @returns {string[]} */
const told = (sentences) => sentences.flatMap((one) => (one ? [one] : []));

/** @param {string} program @param {string[]} args @returns {string[]} The words at which a command may begin that the program runs. */
function wrapped(program, args) {
  if (wrappers.has(program)) return args.slice(0, wrappedWordsMax);
  const runs = containers.has(program) ? args.findIndex((arg) => arg === "exec" || arg === "run") : -1;
  return runs < 0 ? [] : args.slice(runs + 1, runs + 1 + wrappedWordsMax);
}

/** @param {string} name @param {string[]} args @param {boolean} isPiped @returns {string[]} */
function judged(name, args, isPiped) {
  const program = baseName(name).replace(/^mkfs\..*/, "mkfs").replace(/^python3\.\d+$/, "python3");
  const sentence = Object.hasOwn(rules, program) && rules[program](args, isPiped);
  return sentence ? [sentence] : [];
}

/** @param {string[]} words @returns {string[]} What is told of files that output goes into. */
const written = (words) => words.flatMap((word, index) => {
  const into = words[index - 1] === ">" || /^(?:of=|tee$)/.test(words[index - 1] ?? "") ? word : "";
  return device.test(into) ? [disk] : delicate.test(into) ? [delicateWords] : [];
});

const delicateWords = "Changes a file that decides what runs or who gets in, or that often holds secrets.";

/**
 * @param {string} path @param {string} [folder] The session's.
 * @returns {string[]}
 */
export function fileRisks(path, folder) {
  const named = folder && /^~(\/|$)/.test(folder) ? path.replace(home, "~") : path;
  const outside = folder && pathIn(named, folder) === named && (path.startsWith("/") || path.startsWith("~") || /(^|\/)\.\.(\/|$)/.test(path));
  return told([delicate.test(path) && delicateWords, outside && `Outside the session's folder, ${folder}.`]);
}

/**
 * Homes where systems have them, for hosts that say `~` and not whose that is: another person's folder of the same name passes for the
 * session's there. With a warning at every change nobody would read the one that counts.
 */
const home = /^(?:\/root|(?:\/var)?\/home\/[^/]+|\/Users\/[^/]+)(?=\/|$)/;

/**
 * The path as it reads from the session's folder, where it is in there.
 * @param {string} path @param {string} [folder]
 */
export function pathIn(path, folder) {
  const root = folder?.replace(/\/+$/, "");
  return root && path.startsWith(`${root}/`) && !/(^|\/)\.\.(\/|$)/.test(path) ? path.slice(root.length + 1) : path;
}

/**
 * @param {string} address @returns {string[]}
 */
export function addressRisks(address) {
  const url = urlOf(address);
  if (!url) return [];
  const near = /^(?:localhost|.*\.local|.*\.internal|\[.*\]|[\d.]+)$/.test(url.hostname);
  return told([url.protocol === "http:" && "Not over an encrypted connection.", near && "An address of a machine or a network of its own.",
    (url.username || url.password) && "The address carries a name or a password."]);
}
