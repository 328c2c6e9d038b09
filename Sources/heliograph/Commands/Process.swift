import ArgumentParser
import Foundation
import HeliographServer
import RelayProtocol

enum Environment {
    static var all: [String: String] { ProcessInfo.processInfo.environment }

    /// Nil where it is unset or empty.
    static func value(_ name: String) -> String? {
        guard let value = all[name], !value.isEmpty else { return nil }
        return value
    }
}

enum Executable {
    /// The path of this very program, for lines that people copy and hooks that agents call.
    static var path: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }
}

enum Failure {
    /// Says in one line what went wrong, and exits with 1; with 2 where the program was told what it cannot take.
    static func reporting<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let code as ExitCode { throw code } catch {
            FileHandle.standardError.write(Data("heliograph: \(error)\n".utf8))
            throw ExitCode(error is SettingsError ? 2 : 1)
        }
    }
}

enum Output {
    /// One line of JSON.
    static func json(_ body: (inout JSONWriter) -> Void) { print(String(decoding: JSONWriter.object(body), as: UTF8.self)) }
}
