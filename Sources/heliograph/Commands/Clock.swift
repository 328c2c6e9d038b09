import ArgumentParser
import HeliographServer
import RelayAccess
import RelayProtocol

/// `heliograph clock`
struct Clock: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show whether the running relay trusts this machine's clock, or confirm it.",
        discussion: """
            History ages by the clock (--keep-days). If the clock has jumped by more than an hour, or has advanced by more than \
            three days while the machine was off, nothing is removed because of it until it has run for three days without \
            another jump, or somebody says that it is right:

              heliograph clock
              heliograph clock --confirm
            """)

    @OptionGroup var data: DataOption

    @Flag(help: "The clock is right: history ages by it from now on.")
    var confirm = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try Failure.reporting {
            do {
                if confirm { try ClockState.confirm(in: data.path) }
                let state = try ClockState(of: data.path)
                if json {
                    return Output.json { writer in
                        writer.field("trusted", state.aheadSeconds == nil)
                        writer.field("aheadSeconds", state.aheadSeconds)
                    }
                }
                print("\(state.words.prefix(1).uppercased() + state.words.dropFirst()).")
            } catch let error as HTTPError where error.code == .unreachable {
                throw CommandError(.noRelay, "No relay answers on \(data.path): heliograph doctor\(data.flag) says more")
            }
        }
    }
}
