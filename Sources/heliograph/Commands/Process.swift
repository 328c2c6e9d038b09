import ArgumentParser
import Foundation
import RelayProtocol

enum Environment {
    /// Nil where it is unset or empty.
    static func value(_ name: String) -> String? {
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else { return nil }
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
    /// Says in one line what went wrong, and exits with 1.
    static func reporting(_ body: () throws -> Void) throws {
        do { try body() } catch let code as ExitCode { throw code } catch {
            FileHandle.standardError.write(Data("heliograph: \(error)\n".utf8))
            throw ExitCode(1)
        }
    }
}

enum Output {
    /// One line of JSON.
    static func json(_ body: (inout JSONWriter) -> Void) { print(String(decoding: JSONWriter.object(body), as: UTF8.self)) }
}
