import Foundation
import HeliographHook
import Synchronization
import Testing

@testable import HeliographHost

@Suite("The socket of a terminal's holder")
struct TerminalSocketTests {
    @Test("is not taken for one of a holder that was killed while it is made")
    func made() throws {
        let folder = try HookFolder()
        let paths = HostPaths { $0 == "XDG_STATE_HOME" ? folder.path : nil }
        let directory = HeldTerminal.directory(paths)
        let isOver = Mutex(false)
        let looker = Thread { while !isOver.withLock({ $0 }) { _ = HeldTerminal.all(paths) } }
        looker.start()
        defer { isOver.withLock { $0 = true } }
        for number in 0..<2_000 {
            let socket = try TerminalSocket(id: "\(number)", in: directory)
            #expect(Files.isThere(socket.path))
            socket.close()
        }
    }

    @Test("is removed if its holder was killed, and its name is another's only then")
    func killed() throws {
        let folder = try HookFolder()
        let paths = HostPaths { $0 == "XDG_STATE_HOME" ? folder.path : nil }
        let socket = try TerminalSocket(id: "a", in: HeldTerminal.directory(paths))
        #expect(throws: HostError.self) { try TerminalSocket(id: "a", in: HeldTerminal.directory(paths)) }
        close(socket.descriptor)
        #expect(HeldTerminal.all(paths).isEmpty && !Files.isThere(socket.path))
        try TerminalSocket(id: "a", in: HeldTerminal.directory(paths)).close()
        #expect(Files.names(in: HeldTerminal.directory(paths)) == [])
    }
}
