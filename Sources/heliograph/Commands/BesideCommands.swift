import ArgumentParser
import Glibc
import HeliographPlatform

/// A separate program beside this one, which gets the arguments unchanged.
protocol BesideCommand: ParsableCommand {
    static var program: String { get }
    var arguments: [String] { get }
}

extension BesideCommand {
    func run() throws {
        let path = Executable.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let error = ProgramExchange.become("\(path)/\(Self.program)", [Self.program] + arguments)
        let reason = unsafe String(cString: strerror(error))
        Output.remark("this is a program of its own, \(Self.program), which cannot be run from \(path): \(reason)")
        throw ExitCode(5)
    }
}

/// `heliograph bench`
struct BenchCommand: BesideCommand {
    static let configuration = CommandConfiguration(commandName: "bench", abstract: "Measure a relay: runs heliograph-bench.")
    static let program = "heliograph-bench"

    @Argument(parsing: .captureForPassthrough, help: "The arguments of heliograph-bench.") var arguments: [String] = []
}

/// `heliograph apns-simulator`
struct APNsSimulatorCommand: BesideCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator", abstract: "Simulate Apple's push service: runs heliograph-apns-simulator.")
    static let program = "heliograph-apns-simulator"

    @Argument(parsing: .captureForPassthrough, help: "Those of heliograph-apns-simulator.") var arguments: [String] = []
}
