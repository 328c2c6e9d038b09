internal import Foundation
internal import StoreSQLite
package import Testing

/// Gives every test `Scratch.current`, and removes it after the test.
package struct ScratchTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void)
        async throws
    {
        guard testCase != nil else { return try await body() }
        let path = NSTemporaryDirectory() + "heliograph-store-" + UUID().uuidString
        _ = try DataDirectory(path: path)
        defer {
            PostgresServer.end(testIn: path)
            try? FileManager.default.removeItem(atPath: path)
        }
        try await Scratch.$current.withValue(Scratch(path: path), operation: body)
    }
}

extension Trait where Self == ScratchTrait {
    package static var scratch: Self { Self() }
}
