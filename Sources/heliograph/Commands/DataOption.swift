import ArgumentParser
import Glibc

/// `--data`: where the relay keeps its file.
struct DataOption: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp(
            "The relay's data directory. Default: $HELIOGRAPH_DATA, else ~/.local/share/heliograph.", valueName: "folder"))
    var given: String?

    var path: String {
        if let given { return given }
        if let named = Environment.value("HELIOGRAPH_DATA") { return named }
        if let base = Environment.value("XDG_DATA_HOME") { return "\(base)/heliograph" }
        return "\(Environment.value("HOME") ?? ".")/.local/share/heliograph"
    }
}

enum Environment {
    /// Nil where it is unset or empty.
    static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}

enum Executable {
    /// The path of this very program, for lines that people copy and hooks that agents call.
    static var path: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments[0] }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

enum Version {
    static let current = "0.1.0"
}

enum Failure {
    /// Says in one line what went wrong, and exits with 1.
    static func reporting(_ body: () throws -> Void) throws {
        do { try body() } catch let code as ExitCode { throw code } catch {
            fputs("heliograph: \(error)\n", stderr)
            throw ExitCode(1)
        }
    }
}
