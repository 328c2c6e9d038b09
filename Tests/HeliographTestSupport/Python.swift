internal import Foundation
internal import Synchronization

/// A peer of another make: a script in its own process.
package final class Python: Sendable {
    private let process: Mutex<Process>
    private let lines = EventLog<[String: PeerValue]>()
    private let standardInput = Pipe()
    private let errors = Mutex(Data())
    package let processID: Int32

    /// Starts `Peers/<script>.py` of the target that calls, with arguments.
    package convenience init(_ script: String, _ arguments: String..., caller: String = #fileID) throws {
        try self.init(script, arguments: arguments, caller: caller)
    }

    package init(_ script: String, arguments: [String], caller: String = #fileID) throws {
        let process = Process()
        process.executableURL = try Self.interpreter()
        let target = String(caller.prefix { $0 != "/" })
        let folder = Self.root.appending(path: "Tests").appending(path: target).appending(path: "Peers")
        process.arguments = ["-u", folder.appending(path: script + ".py").path] + arguments
        let output = Pipe()
        let errorOutput = Pipe()
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errorOutput
        try process.run()
        processID = process.processIdentifier
        self.process = Mutex(process)
        let lines = lines
        Self.read(output) { data, partial in
            partial.append(data)
            while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(partial[partial.startIndex..<end])
                partial = Data(partial[(end + 1)...])
                if let object = try? JSONDecoder().decode([String: PeerValue].self, from: line) { lines.append(object) }
            }
        } atEnd: {
            lines.finish()
        }
        Self.read(errorOutput) { [weak self] data, _ in self?.errors.withLock { $0.append(data) } }
    }

    deinit {
        process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
    }

    /// Reads on a separate thread: libdispatch 6.3 sometimes crashes if `readabilityHandler`s of several pipes end at once
    /// (swift-corelibs-libdispatch #949).
    private static func read(
        _ pipe: Pipe, _ append: @escaping @Sendable (Data, inout Data) -> Void, atEnd end: @escaping @Sendable () -> Void = {}
    ) {
        let file = pipe.fileHandleForReading
        Thread.detachNewThread {
            var partial = Data()
            while true {
                let data = file.availableData
                if data.isEmpty { return end() }
                append(data, &partial)
            }
        }
    }

    /// The next object that the script prints, of those that match.
    package func next(
        within limit: Duration = .seconds(30), _ matches: @Sendable ([String: PeerValue]) -> Bool = { _ in true }
    ) async throws -> [String: PeerValue] {
        do {
            return try await lines.next(within: limit, matches)
        } catch {
            let text = errors.withLock { String(decoding: $0, as: UTF8.self) }
            throw TestFailure("the peer said nothing: \(error) \(text)")
        }
    }

    package func tell(_ line: String = "go") {
        standardInput.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    package func signal(_ number: Int32) {
        kill(processID, number)
    }

    private static let root =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `make test` makes the environment; a machine without it fails, it does not skip.
    private static func interpreter() throws -> URL {
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

package enum PeerValue: Decodable, Sendable, Equatable, CustomStringConvertible {
    case null, bool(Bool), number(Double), string(String), array([PeerValue]), object([String: PeerValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([PeerValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: PeerValue].self))
        }
    }

    package var int: Int? {
        if case .number(let value) = self { Int(value) } else { nil }
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var array: [PeerValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var description: String {
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
