internal import Glibc

/// Resolves the links on a path that an agent writes to. Compares bytes: names that look alike are different files.
enum PathLinks {
    private typealias Path = [UInt8]

    /// Most links that are followed, as in Linux.
    private static let linksMax = 40
    private static let slash = UInt8(ascii: "/")
    private static let dot = Path(".".utf8)
    private static let dots = Path("..".utf8)

    /// The real file if the name is a link or leads through one below `folder`; also for a file that does not exist yet. In
    /// `folder` it is named from there, whatever links lead to that. Nil if no link leads elsewhere, or that cannot be found out.
    static func target(of path: String, in folder: String?) -> String? {
        let path = Path(path.utf8)
        guard let real = resolved(path, linksMax) else { return nil }
        guard let folder = folder.map({ Path($0.utf8) }), folder.first == slash, let realFolder = realPath(folder),
            let rest = rest(of: path, below: normalized(folder))
        else { return real == normalized(path) ? nil : text(real) }
        guard real != normalized(joined(realFolder, rest)) else { return nil }
        return text(self.rest(of: real, below: realFolder).map { joined(normalized(folder), $0) } ?? real)
    }

    /// The path with links resolved, also for a file that does not exist yet; nil if that cannot be found out.
    static func real(_ path: String) -> String? { resolved(Path(path.utf8), linksMax).map(text) }

    private static func text(_ path: Path) -> String { String(decoding: path, as: UTF8.self) }

    private static func rest(of path: Path, below folder: Path) -> Path? {
        let start = folder == [slash] ? folder : folder + [slash]
        return path.starts(with: start) ? Path(path.dropFirst(start.count)) : nil
    }

    private static func joined(_ folder: Path, _ name: Path) -> Path { (folder == [slash] ? folder : folder + [slash]) + name }

    /// The path as text without `.`, `..` and doubled slashes: the real path if no part of it is a link.
    private static func normalized(_ path: Path) -> Path {
        var parts: [Path] = []
        for part in path.split(separator: slash).map({ Path($0) }) where part != dot {
            if part == dots { _ = parts.popLast() } else { parts.append(part) }
        }
        return [slash] + parts.joined(separator: [slash])
    }

    /// Resolves a path whose last parts may be missing: writing to a link to nothing creates the file that it names.
    private static func resolved(_ path: Path, _ linksLeft: Int) -> Path? {
        if let real = realPath(path) { return real }
        guard errno == ENOENT, linksLeft > 0, let end = path.lastIndex(of: slash) else { return nil }
        let folder = end == 0 ? [slash] : Path(path[..<end])
        let name = Path(path[(end + 1)...])
        guard name != dots, folder != path else { return nil }
        if name.isEmpty || name == dot { return resolved(folder, linksLeft) }
        if let link = link(path) { return resolved(link.first == slash ? link : joined(folder, link), linksLeft - 1) }
        return resolved(folder, linksLeft).map { joined($0, name) }
    }

    private static func realPath(_ path: Path) -> Path? {
        guard let real = unsafe realpath(path.map { CChar(bitPattern: $0) } + [0], nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe Path(UnsafeRawBufferPointer(start: real, count: strlen(real)))
    }

    private static func link(_ path: Path) -> Path? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path.map { CChar(bitPattern: $0) } + [0], &bytes, bytes.count)
        return count > 0 && count < bytes.count ? bytes.prefix(count).map { UInt8(bitPattern: $0) } : nil
    }
}
