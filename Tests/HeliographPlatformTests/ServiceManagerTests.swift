import Foundation
import Testing

@testable import HeliographPlatform

@Suite("Service manager") struct ServiceManagerTests {
    @Test("nobody asked, or in a way that is none")
    func nobody() {
        #expect(ServiceManager(environment: [:]) == nil)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "relative"]) == nil)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 108)]) == nil)
    }

    @Test("the watchdog is for the process that is named, at half of its time")
    func watchdog() {
        let socket = ["NOTIFY_SOCKET": "/run/x"]
        func interval(_ more: [String: String]) -> Duration? {
            ServiceManager(environment: socket.merging(more) { $1 }, processID: 7)?.watchdogInterval
        }
        #expect(interval([:]) == nil)
        #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(15))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "0"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "soon"]) == nil)
    }

    @Test("what is told arrives, by a path and by an abstract name", arguments: [false, true])
    func arrives(isAbstract: Bool) throws {
        let name = "heliograph-notify-\(UUID().uuidString)"
        let path = isAbstract ? "@\(name)" : NSTemporaryDirectory() + name
        let receiver = try Receiver(path)
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": path]))
        #expect(manager.tell(.ready))
        #expect(receiver.next() == "READY=1")
        #expect(manager.tell(.stopping))
        #expect(receiver.next() == "STOPPING=1")
    }

    @Test("nobody listens any more: that is known, and no more")
    func gone() throws {
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": NSTemporaryDirectory() + UUID().uuidString]))
        #expect(!manager.tell(.alive))
    }

    @Test("a stamp differs where the file does, and there is none without a file")
    func stamps() throws {
        let path = NSTemporaryDirectory() + "heliograph-stamp-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileStamp(of: path) == nil)
        try Data("a".utf8).write(to: URL(filePath: path))
        let first = FileStamp(of: path)
        #expect(first != nil && FileStamp(of: path) == first)
        // Another file of the same length in its place.
        try Data("b".utf8).write(to: URL(filePath: path), options: .atomic)
        #expect(FileStamp(of: path) != first)
    }
}

/// The other end of a notify socket.
private final class Receiver {
    private let descriptor: Int32
    private let path: String

    struct Failure: Error {}

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if path.hasPrefix("@") { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(2 + name.count + (path.hasPrefix("@") ? 0 : 1))
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        guard bound == 0 else { throw Failure() }
    }

    /// The next message, or nil: a message sent to this machine's own socket arrives at once.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    deinit {
        close(descriptor)
        if !path.hasPrefix("@") { _ = unsafe unlink(path) }
    }
}
