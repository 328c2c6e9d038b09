import Glibc
internal import HostCore

/// Finds the Git checkout that a folder is in by reading three small files, without running Git.
enum CheckoutReader {
    /// Folders that are searched, from the given one upwards.
    private static let levelsMax = 64
    private static let bytesMax = 4 << 10

    /// The checkout; nil if there is none, or if its root is the home folder, where people version their settings.
    static func read(_ folder: String, home: String?) -> Checkout? {
        var root = folder
        for _ in 0..<levelsMax {
            guard root.hasPrefix("/"), root != home else { return nil }
            if let checkout = checkout(at: root) { return checkout }
            guard let slash = root.lastIndex(of: "/"), slash != root.startIndex else { return nil }
            root = String(root[..<slash])
        }
        return nil
    }

    /// The checkout with this root. A linked worktree has a file in place of the folder `.git`.
    private static func checkout(at root: String) -> Checkout? {
        if let head = line(root + "/.git/HEAD") { return Checkout(root: root, head: head, common: nil) }
        let mark = "gitdir: "
        guard let pointer = line(root + "/.git"), pointer.hasPrefix(mark) else { return nil }
        let own = path(String(pointer.dropFirst(mark.count)), in: root)
        guard let head = line(own + "/HEAD") else { return nil }
        let common = line(own + "/commondir").flatMap { real(path($0, in: own)) }
        return Checkout(root: root, head: head, common: common)
    }

    private static func line(_ path: String) -> String? {
        guard let bytes = try? Files.read(path, bytesMax: bytesMax) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static func path(_ path: String, in folder: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

    private static func real(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
