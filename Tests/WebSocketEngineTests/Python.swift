import Foundation
import Synchronization
import HeliographTestSupport
import Testing

/// A peer of another make: a script of `Peers/` in its own process.
final class Python: Sendable {
    private let process: Mutex<Process>
    private let lines = EventLog<[String: JSONValue]>()
    private let standardInput = Pipe()
    private let errors = Mutex(Data())
    let processID: Int32

    /// Starts `Peers/<script>.py` with arguments.
    init(_ script: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = try Self.interpreter()
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")
        process.arguments = ["-u", folder.appending(path: script + ".py").path] + arguments
        let output = Pipe()
        let errorOutput = Pipe()
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errorOutput
        let lines = lines
        let partial = Mutex(Data())
        output.fileHandleForReading.readabilityHandler = { file in
            let data = file.availableData
            if data.isEmpty {
                file.readabilityHandler = nil
                lines.finish()
                return
            }
            let complete = partial.withLock { partial -> [Data] in
                partial.append(data)
                var complete: [Data] = []
                while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                    complete.append(Data(partial[partial.startIndex..<end]))
                    partial = Data(partial[(end + 1)...])
                }
                return complete
            }
            for line in complete {
                if let object = try? JSONDecoder().decode([String: JSONValue].self, from: line) { lines.append(object) }
            }
        }
        try process.run()
        processID = process.processIdentifier
        self.process = Mutex(process)
        errorOutput.fileHandleForReading.readabilityHandler = { [weak self] file in
            let data = file.availableData
            if data.isEmpty { file.readabilityHandler = nil }
            self?.errors.withLock { $0.append(data) }
        }
    }

    deinit {
        process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
    }

    /// The next object that the script prints.
    func next(within limit: Duration = .seconds(30)) async throws -> [String: JSONValue] {
        do {
            return try await lines.next(within: limit) { _ in true }
        } catch {
            let text = errors.withLock { String(decoding: $0, as: UTF8.self) }
            throw TestFailure("the peer said nothing: \(error) \(text)")
        }
    }

    func tell(_ line: String = "go") {
        standardInput.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    func signal(_ number: Int32) {
        kill(processID, number)
    }

    /// `make test` makes the environment; a machine without it fails, it does not skip.
    private static func interpreter() throws -> URL {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let candidates: [String?] = [
            ProcessInfo.processInfo.environment["HELIOGRAPH_TEST_PYTHON"],
            root.appending(path: ".venv/bin/python3").path,
        ]
        for path in candidates.compactMap({ $0 }) where FileManager.default.isExecutableFile(atPath: path) {
            return URL(filePath: path)
        }
        throw TestFailure(
            "no Python with `websockets`: `make test` sets up .venv, or name one in HELIOGRAPH_TEST_PYTHON")
    }
}

enum JSONValue: Decodable, Sendable, Equatable, CustomStringConvertible {
    case null, bool(Bool), number(Double), string(String), array([JSONValue]), object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    var int: Int? {
        if case .number(let value) = self { Int(value) } else { nil }
    }

    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value
        case .array(let value): "\(value)"
        case .object(let value): "\(value)"
        }
    }
}
