import ArgumentParser
import HeliographHost

/// `heliograph emit`
struct Emit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report what your own program does: events as JSON, one a line, from standard input.",
        discussion: """
            Any script can be an agent. Its events appear wherever you watch your agents:

              echo '{"kind":"message","head":{"role":"assistant"},"body":{"text":"OK"}}' |
                heliograph emit --session build-1 --agent build.sh
              echo '{"kind":"session.ended"}' | heliograph emit --session build-1

            Kinds: session.started, session.renamed, session.ended, status.changed, message, tool.started, tool.finished, \
            file.changed, todo.changed, usage, subagent.started, subagent.finished, error. The protocol lists their fields; \
            the documentation's page on agents has examples.

            A line that is not right is named on standard error and left out, and so is a session whose name another host of \
            the workspace has. When a budget is spent, {"held":["build-1"]} is \
            printed: from then on, ask before each tool.

            Exit codes: 0 all taken, 1 a line or a session was refused, 4 no host daemon runs, 7 its disk took nothing.
            """)

    @OptionGroup var program: ProgramOptions

    @Option(help: "The session of lines that do not name one.")
    var session: String?

    @Flag(help: "Return only once the events would survive a power cut.")
    var sync = false

    func run() throws {
        var call = EmitCall(session: session, agent: program.agent, process: program.pid, isDurable: sync)
        throw ExitCode(call.run().rawValue)
    }
}

/// `heliograph ask`
struct Ask: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a person whether your own program may go on, and wait for the answer.",
        discussion: """
            The question appears wherever you watch your agents. The answer is printed as JSON:

              heliograph ask --session b1 --tool Deploy --input '{"to":"it"}' && ./deploy
              heliograph ask --session b1 --questions \\
                '[{"id":"c","text":"Which?","choices":[{"label":"Red"},{"label":"Blue"}]}]'

            Exit codes: 0 allowed or answered, 1 denied, 2 no decision (not in time, no relay, no daemon, or a wrong command \
            line). Only 0 is a yes.
            """)

    @OptionGroup var program: ProgramOptions

    @Option(help: "The program's session.")
    var session: String

    @Option(help: "What is to be used, in a word: Deploy, Bash, Write.")
    var tool: String?

    @Option(help: ArgumentHelp("Its exact input, a JSON object.", valueName: "json"))
    var input: String?

    @Option(
        help: ArgumentHelp(
            "Ask these questions instead, a JSON list as in the example above.", valueName: "json"))
    var questions: String?

    @Option(help: "The question in one line. Default: the tool's name.")
    var title: String?

    @Option(help: ArgumentHelp("How long to wait for the answer, a day at most.", valueName: "seconds"))
    var wait: Int64 = 3_600

    @Option(
        help: ArgumentHelp("What to call the question, for `settle`. Asked again, it is the same question.", valueName: "name"))
    var approval: String?

    func validate() throws {
        guard (tool != nil) != (questions != nil) else { throw ValidationError("Say either --tool or --questions.") }
        guard input == nil || questions == nil else { throw ValidationError("--input goes with --tool.") }
        guard (1...86_400).contains(wait) else { throw ValidationError("--wait is between 1 and 86400 seconds.") }
    }

    func run() throws {
        var call = AskCall(session: session, waitSeconds: wait)
        call.approval = approval
        call.agent = program.agent
        call.tool = tool
        call.title = title
        call.input = input
        call.questions = questions
        call.process = program.pid
        throw ExitCode(call.run().rawValue)
    }
}

/// `heliograph settle`
struct Settle: ParsableCommand {
    enum Outcome: String, ExpressibleByArgument, CaseIterable { case ran, refused, answeredElsewhere, cancelled, unknown }

    static let configuration = CommandConfiguration(
        abstract: "Report the outcome of a question that `ask` asked.",
        discussion: """
              heliograph settle --session build-1 --approval go ran

            Until then an answer counts as handed over, not as carried out.

            Exit codes: 0 done, 1 refused, 4 no host daemon runs.
            """)

    @Option(help: "The program's process. Default: what started this command.")
    var pid: Int32?

    @Option(help: "The program's session.")
    var session: String

    @Option(help: "The question's name.")
    var approval: String

    @Argument(help: "The tool ran, or did not; it was answered elsewhere; its turn is over; or nobody knows.")
    var outcome: Outcome

    func run() throws {
        throw ExitCode(
            SettleCall.run(session: session, approval: approval, outcome: outcome.rawValue, process: pid).rawValue)
    }
}

/// A program's facts about itself.
struct ProgramOptions: ParsableArguments {
    @Option(help: "The program's name, used if its session is not known yet.")
    var agent: String?

    @Option(help: "The program's process: its sessions end with it. Default: what started this command.")
    var pid: Int32?
}
