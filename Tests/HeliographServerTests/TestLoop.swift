import Foundation
import Logging
import WebSocketEngine

/// An event loop on a thread of its own, for one test.
final class TestLoop: Sendable {
    private let handle: EventLoopHandle
    private let bound: LoopBound<EventLoop>

    private init(_ handle: EventLoopHandle, _ bound: LoopBound<EventLoop>) {
        self.handle = handle
        self.bound = bound
    }

    static func start() async throws -> TestLoop {
        try await withCheckedThrowingContinuation { continuation in
            Thread {
                do {
                    try EventLoop.run(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { loop in
                        continuation.resume(returning: TestLoop(loop.handle, LoopBound(loop, loop: loop)))
                    }
                } catch { continuation.resume(throwing: error) }
            }.start()
        }
    }

    deinit { handle.stop() }

    /// Runs `body` on the loop and awaits its result.
    func run<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let bound = bound
            handle.execute { continuation.resume(with: Result { try body(bound.value) }) }
        }
    }

    /// Makes something that lives on the loop.
    func make<Value>(_ body: @escaping @Sendable (EventLoop) throws -> Value) async throws -> LoopBound<Value> {
        try await run { LoopBound(try body($0), loop: $0) }
    }

    /// Comes back when everything that was handed in before has run, and what that has handed in.
    func settle() async throws { for _ in 0..<3 { try await run { _ in } } }
}

/// A folder of its own, removed with the last reference.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "heliograph-server-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
    }
}

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
