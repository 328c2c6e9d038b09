import Glibc
import Testing

@testable import HeliographPlatform

@Suite("A socket that a service manager passes") struct PassedSocketTests {
    @Test(
        "counts for the process that it is meant for alone",
        arguments: [
            (["LISTEN_FDS": "1", "LISTEN_PID": "7"], 1), (["LISTEN_FDS": "2", "LISTEN_PID": "7"], 2),
            (["LISTEN_FDS": "1", "LISTEN_PID": "8"], 0),
            (["LISTEN_FDS": "1"], 0), (["LISTEN_PID": "7"], 0), (["LISTEN_FDS": "-1", "LISTEN_PID": "7"], nil),
            (["LISTEN_FDS": "x", "LISTEN_PID": "7"], nil), (["LISTEN_FDS": "x", "LISTEN_PID": "8"], 0), ([:], 0),
        ] as [([String: String], Int?)])
    func count(_ environment: [String: String], _ count: Int?) {
        #expect(PassedSocket.count(environment: environment, processID: 7) == count)
    }

    @Test("has an address once it listens")
    func address() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(bound == 0 && PassedSocket(descriptor: descriptor) == nil, "it does not listen yet")
        #expect(listen(descriptor, 1) == 0)
        let passed = try #require(PassedSocket(descriptor: descriptor))
        #expect(passed.host == "127.0.0.1" && passed.port > 0 && fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
        #expect(PassedSocket(descriptor: 9_999) == nil)
    }

    @Test("is no file and no socket of another kind")
    func others() {
        let unix = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let file = unsafe open("/dev/null", O_RDONLY)
        defer { for descriptor in [unix, file] { close(descriptor) } }
        #expect(PassedSocket(descriptor: unix) == nil && PassedSocket(descriptor: file) == nil)
    }
}
