import ArgumentParser
import Foundation
import Glibc
import HeliographClient
import HeliographHook
import HeliographHost
import HeliographServer
import RelayAccess
import RelayProtocol

enum Environment {
    static var all: [String: String] { ProcessInfo.processInfo.environment }

    /// The variable's value; nil if it is unset or empty.
    static func value(_ name: String) -> String? {
        guard let value = all[name], !value.isEmpty else { return nil }
        return value
    }
}

enum Executable {
    /// The path of this very program, for hooks that agents call.
    static var path: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// The program as it was called, for lines that people copy into another terminal.
    static var shown: String { ShellWords.word(CommandLine.arguments[0]) }
}

enum Failure {
    /// Reports an error in one line, and exits with the code of `ClientExit`.
    static func reporting<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let code as ExitCode { throw code } catch {
            let sentence = (error as? HTTPError)?.message ?? "\(error)"
            Output.remark(VisibleText.prose(sentence))
            throw ExitCode(exit(of: error).rawValue)
        }
    }

    private static func exit(of error: any Error) -> ClientExit {
        switch error {
        case is ValidationError: .usage
        case let error as ServerError where error.code == .settings: .usage
        case let error as ServerError where error.code == .workspace: .notFound
        case let error as HostError:
            switch error.code {
            case .badConfiguration, .badInput: .usage
            case .notPaired, .pairing: .unauthorised
            case .unreachable: .unreachable
            case .alreadyRunning, .sessionOpen, .refused, .tooLong: .refused
            case .file, .notStarted, .system: .failed
            }
        case let error as ConnectError where error.code == .nothingFound: .notFound
        case let fault as HTTPError: fault.code == .local ? .failed : .unreachable
        case let error as CommandError: error.exit
        default:
            if RelayServer.isAbsent(error) { .notFound } else { RelayServer.isFaultOfMachine(error) ? .failed : .refused }
        }
    }
}

enum Input {
    /// Reads the answer to a question; the end of input means no.
    static func isYes() -> Bool { ["y", "yes"].contains(readLine()?.lowercased()) }
}

enum Output {
    /// Prints a remark for people, on standard error; programs read standard output.
    static func remark(_ sentence: String) { complain("heliograph: \(sentence)\n") }

    /// Writes to standard error. A failure is ignored, because nothing can be done about it; `FileHandle` would trap.
    static func complain(_ text: String) { HookStream.write(Array(text.utf8), to: STDERR_FILENO) }

    /// Prints a line. Ends the program silently if the reader has gone, as `| head` does.
    static func line(_ bytes: [UInt8]) throws {
        switch HookStream.write(bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO) {
        case 0: break
        case EPIPE: throw ExitCode.success
        case let fault: throw CommandError(.output, "the output cannot be written: \(unsafe String(cString: strerror(fault)))")
        }
    }

    /// Flushes the output at the end of a command, or reports that it failed: a token printed into a full disk would be lost.
    static func finish() throws {
        guard fflush(nil) != 0, errno != EPIPE else { return }
        remark("the output cannot be written: \(unsafe String(cString: strerror(errno)))")
        throw ExitCode(ClientExit.failed.rawValue)
    }

    /// Prints one line of JSON, safe for a terminal.
    static func json(_ body: (inout JSONWriter) -> Void) { print(JSONLine.text(JSONWriter.object(body))) }
}
