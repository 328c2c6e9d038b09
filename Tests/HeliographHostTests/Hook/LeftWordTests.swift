import Glibc
import Testing

@testable import HeliographHook

@Suite("The end of a session that no daemon heard")
struct LeftWordTests {
    private let payload = Array(#"{"session_id":"s1","reason":"prompt_input_exit"}"#.utf8)

    private func leave(in folder: HookFolder, _ bytes: [UInt8]? = nil) {
        LeftWord.leave(bytes ?? payload, agent: "claude", event: "SessionEnd", in: folder.path)
    }

    @Test("is left for the next daemon, once, where a daemon has been")
    func life() throws {
        let folder = try HookFolder()
        leave(in: folder)
        #expect(folder.names() == [] && LeftWord.take(from: folder.path) == [])
        try #require(unsafe mkdir(LeftWord.folder(in: folder.path), 0o700) == 0)
        leave(in: folder)
        #expect(LeftWord.take(from: folder.path) == [LeftWord(agent: "claude", event: "SessionEnd", payload: payload)])
        #expect(LeftWord.take(from: folder.path) == [] && folder.names("unheard") == [])
    }

    @Test("is not taken from a hook that is just writing it, and what one that was killed left goes in time")
    func drafts() throws {
        let folder = try HookFolder()
        let drafts = LeftWord.folder(in: folder.path)
        try #require(unsafe mkdir(drafts, 0o700) == 0)
        for name in ["fresh", "old"] {
            let file = unsafe open("\(drafts)/\(name)", O_WRONLY | O_CREAT, 0o600)
            try #require(file >= 0)
            close(file)
        }
        let times = [timespec(tv_sec: time(nil) - 61, tv_nsec: 0), timespec(tv_sec: time(nil) - 61, tv_nsec: 0)]
        try #require(unsafe utimensat(AT_FDCWD, "\(drafts)/old", times, 0) == 0)
        #expect(LeftWord.take(from: folder.path) == [] && folder.names("unheard") == ["fresh"])
    }

    @Test("is bounded in size and number, and what is no such word goes")
    func bounds() throws {
        let folder = try HookFolder()
        try #require(unsafe mkdir(LeftWord.folder(in: folder.path), 0o700) == 0)
        leave(in: folder, [UInt8](repeating: 32, count: 70_000))
        #expect(folder.names("unheard") == [])
        for _ in 0..<300 { leave(in: folder) }
        #expect(folder.names("unheard").count == 256)
        #expect(LeftWord.take(from: folder.path).count == 256)
        for (name, text) in [("a.word", "no line"), ("b.word", "one\n"), ("d.word", "")] {
            let file = unsafe open("\(folder.path)/unheard/\(name)", O_WRONLY | O_CREAT, 0o600)
            try #require(file >= 0)
            let bytes = Array(text.utf8)
            try #require(unsafe write(file, bytes, bytes.count) == bytes.count)
            close(file)
        }
        #expect(folder.link("unheard/e.word", to: "/etc/hostname"))
        #expect(LeftWord.take(from: folder.path) == [] && folder.names("unheard") == [])
    }
}
