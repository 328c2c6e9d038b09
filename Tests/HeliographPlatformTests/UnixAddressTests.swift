import Glibc
import Testing

@testable import HeliographPlatform

@Suite("The address of a Unix socket")
struct UnixAddressTests {
    @Test("is of a path that leaves room for the zero byte after it, and has none inside")
    func fits() {
        let longest = String(repeating: "a", count: UnixAddress.pathBytesMax)
        #expect(UnixAddress.pathBytesMax == 107 && UnixAddress(longest) != nil)
        #expect(UnixAddress(longest + "a") == nil)
        #expect(UnixAddress("a\0b") == nil)
    }

    @Test("binds one end and connects another, which is of our own user")
    func connects() throws {
        let path = "/tmp/heliograph-address-\(getpid())"
        let address = try #require(UnixAddress(path))
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(listener)
            close(client)
            unsafe unlink(path)
        }
        #expect(!address.connect(client) && errno == ENOENT)
        #expect(address.bind(listener) && listen(listener, 1) == 0)
        #expect(address.connect(client) && UnixAddress.isOwnPeer(client))
    }
}
