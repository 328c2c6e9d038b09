import Foundation
import RelayAccess
import Testing

@Suite("Programs that run in a group of their own")
struct ChildProcessTests {
    private func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", seconds: Int64 = 20,
        until stop: ChildProcess.Stop? = nil
    ) throws -> ChildProcess.End {
        try ChildProcess.run(
            apart: arguments, environment: environment, input: Array(input.utf8), seconds: seconds,
            until: stop ?? ChildProcess.Stop())
    }

    private func words(_ text: String) -> ChildProcess.End { .exited(0, words: Array(text.utf8)) }

    @Test("a program reads its input to the end, and has no other variable than those that are named")
    func input() throws {
        #expect(try run(["/bin/cat"], input: "some input\n") == words("some input\n"))
        #expect(try run(["/usr/bin/env"], environment: ["B": "2", "A": "a b"]) == words("A=a b\nB=2\n"))
    }

    @Test("its exit is told, and the last of what it wrote to its errors")
    func exit() throws {
        #expect(try run(["/bin/sh", "-c", "echo out; echo err >&2; exit 75"]) == .exited(75, words: Array("err\n".utf8)))
        #expect(try run(["/bin/sh", "-c", "kill -9 $$"]) == .exited(137, words: []))
        guard case .exited(0, let words) = try run(["/bin/sh", "-c", "yes | head -c 1000000; echo last"]) else {
            Issue.record("it did not end")
            return
        }
        #expect(words.count <= 4 << 10 && words.suffix(5) == Array("last\n".utf8)[...])
    }

    @Test("one that takes too long is killed, and so is one that has closed its outputs and goes on")
    func killed() throws {
        #expect(try run(["/bin/sleep", "600"], seconds: 1) == .timedOut)
        #expect(try run(["/bin/sh", "-c", "exec >&- 2>&-; sleep 600"], seconds: 1) == .timedOut)
    }

    @Test("what it leaves running is killed once its time is over, and its exit counts")
    func leaves() throws {
        guard case .exited(0, let words) = try run(["/bin/sh", "-c", "sleep 600 & echo $!"], seconds: 1) else {
            Issue.record("its exit does not count")
            return
        }
        let left = try #require(pid_t(String(decoding: words, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
        // A signal is sent, and its process ends a moment later.
        let deadline = ContinuousClock.now + .seconds(20)
        while Self.runs(left), ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.01) }
        #expect(!Self.runs(left))
    }

    private static func runs(_ process: pid_t) -> Bool {
        guard let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return !state.contains(") Z")
    }

    @Test("a stop ends what runs, and what begins later")
    func stops() async throws {
        let stop = try ChildProcess.Stop()
        async let end = Task.detached { try self.run(["/bin/sleep", "600"], until: stop) }.value
        stop.stop()
        #expect(try await end == .stopped)
        #expect(try run(["/bin/sleep", "600"], until: stop) == .stopped)
    }

    @Test("many at a time do not keep each other's input open")
    func many() async throws {
        try await withThrowingTaskGroup(of: ChildProcess.End.self) { group in
            for number in 0..<40 { group.addTask { try self.run(["/bin/cat"], input: "\(number)") } }
            var ends: [ChildProcess.End] = []
            for try await end in group { ends.append(end) }
            #expect(ends.count == 40 && !ends.contains(.timedOut))
        }
    }

    @Test("a program that is not there is an error, and leaves nothing")
    func absent() { #expect(throws: HTTPError.self) { try run(["/nowhere/program"]) } }
}
