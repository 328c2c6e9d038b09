internal import Dispatch
internal import Glibc
internal import HeliographCrypto
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import HostRules
internal import Logging
internal import RelayProtocol

/// `rules.toml` in the configuration directory, with two files beside it: what the owner accepted last, as a digest on the first
/// line and the file's text behind it, and the names of the rules that were switched off remotely since, one a line.
///
/// Read again at each request, so that an edit takes effect at once. What the accepted text denies or asks holds until the owner has
/// accepted another.
final class RulesFile: RuleSource {
    static let bytesMax = 256 << 10
    /// Time for which the event loop waits for a path to be resolved; a local disk does it in a millisecond.
    private static let lookWithin = DispatchTimeInterval.milliseconds(50)
    /// Time for which the event loop waits for a running `heliograph rules accept`; after it, the person who switches a rule off
    /// has to send that again.
    private static let switchWithin = Duration.milliseconds(200)
    /// Lookups at a time, each on its own thread; once this many hang on a disk, no more are started.
    private static let looksMax = 4

    private let directory: String
    private let logger: Logger?
    private let looks = DispatchSemaphore(value: looksMax)
    /// The last reading of the file, and its outcome.
    private var last: (bytes: [UInt8], digest: InputDigest, book: Result<RuleBook, RuleError>)?
    /// The last reading of what was accepted.
    private var lastAccepted: (bytes: [UInt8], accepted: Accepted)?
    /// The problem that was logged last.
    private var logged: String?

    var path: String { RulesMark.path(in: directory) }
    private var acceptedPath: String { RulesMark.acceptedPath(in: directory) }
    private var offPath: String { directory + "/rules.off" }

    init(_ paths: HostPaths, logger: Logger? = nil) {
        directory = paths.configDirectory
        self.logger = logger
    }

    // MARK: The file

    /// The file's digest and rules; nil if there is no file.
    func read() throws(HostError) -> (digest: InputDigest, book: Result<RuleBook, RuleError>)? {
        guard let bytes = try Files.read(path, bytesMax: Self.bytesMax) else { return nil }
        if let last, last.bytes == bytes { return (last.digest, last.book) }
        let read = Self.parse(bytes)
        last = (bytes, read.digest, read.book)
        return read
    }

    static func parse(_ bytes: [UInt8]) -> (digest: InputDigest, book: Result<RuleBook, RuleError>) {
        guard let digest = InputDigest(Crypto.hex(Crypto.sha256(bytes))) else {
            preconditionFailure("a SHA-256 in hexadecimal is a digest")
        }
        let book = Result { () throws(RuleError) in try RuleBook(parsing: String(decoding: bytes, as: UTF8.self)) }
        return (digest, book)
    }

    struct Accepted {
        let digest: InputDigest
        /// Nil if an earlier version kept the digest alone.
        let book: RuleBook?

        /// The rules that hold while no file can be read.
        var rulesAlone: KeptRules? {
            book.map { KeptRules(RuleBook(), digest: digest, isAccepted: false, accepted: $0) }
        }
    }

    /// The text that the owner accepted last; nil if none was.
    func accepted() throws(HostError) -> Accepted? {
        guard let bytes = try Files.read(acceptedPath, bytesMax: Self.bytesMax + 128) else { return nil }
        if let lastAccepted, lastAccepted.bytes == bytes { return lastAccepted.accepted }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        guard let digest = InputDigest(String(decoding: line, as: UTF8.self)) else {
            throw HostError(.badConfiguration, "\(acceptedPath) does not begin with a digest")
        }
        let text = Array(bytes.dropFirst(line.count + 1))
        let kept = Self.parse(text)
        let accepted = Accepted(digest: digest, book: kept.digest == digest ? try? kept.book.get() : nil)
        lastAccepted = (bytes, accepted)
        return accepted
    }

    struct Kept {
        let rules: KeptRules
        /// Reason for which some rules do not apply; nil if all do.
        var problem: String?
        /// False if the file is gone.
        var isThere = true
        /// True if an earlier version accepted the file and kept its digest alone.
        var lacksText = false
    }

    /// The rules that apply; nil if there are none and none were accepted. Each file is read once.
    ///
    /// - Throws: if a file cannot be read.
    func kept() throws(HostError) -> Kept? {
        let accepted = try accepted()
        guard let (digest, read) = try read() else {
            guard let rules = accepted?.rulesAlone else { return nil }
            let holds = "what denied or asked in it still holds until `heliograph rules accept`"
            return Kept(rules: rules, problem: "\(path) is gone: its rules allow nothing, and \(holds)", isThere: false)
        }
        let book: RuleBook
        do throws(RuleError) { book = try read.get() } catch { throw HostError(.badConfiguration, "\(path): \(error)") }
        let rules = KeptRules(
            book, digest: digest, isAccepted: accepted?.digest == digest, off: try off(),
            accepted: accepted?.book ?? RuleBook())
        guard !rules.isAccepted else { return Kept(rules: rules, lacksText: accepted?.book == nil) }
        let holds = rules.former.isEmpty ? "" : ", and what denied or asked before still holds,"
        return Kept(
            rules: rules, problem: "\(path) has changed: its rules allow nothing\(holds) until `heliograph rules accept`")
    }

    /// Accepts the rules. `again`: the rules that the owner saw to be off. One that was switched off since stays off.
    ///
    /// - Throws: if the file has another digest.
    func accept(_ digest: InputDigest, again: Set<String>) throws(HostError) {
        try Files.edit(in: directory) { () throws(HostError) in
            guard let bytes = try Files.read(path, bytesMax: Self.bytesMax), Self.parse(bytes).digest == digest else {
                throw HostError(.badInput, "\(path) has another digest: look at it again with heliograph rules list")
            }
            try writeAccepted(bytes)
            try write(try off().subtracting(again))
        }
    }

    /// Accepts that there is no file.
    func acceptNone() throws(HostError) {
        try Files.edit(in: directory) { () throws(HostError) in
            guard try Files.read(path, bytesMax: Self.bytesMax) == nil else {
                throw HostError(.badInput, "\(path) is there: look at it with heliograph rules list")
            }
            try Files.remove(acceptedPath)
            try Files.remove(offPath)
        }
    }

    private func writeAccepted(_ bytes: [UInt8]) throws(HostError) {
        try Files.replace(acceptedPath, with: Array((Self.parse(bytes).digest.rawValue + "\n").utf8) + bytes)
    }

    /// Keeps the text of a file that was accepted by an earlier version, which kept only its digest.
    private func keepAcceptedText(of digest: InputDigest) throws(HostError) {
        try Files.edit(in: directory, within: Self.switchWithin) { () throws(HostError) in
            guard let bytes = try Files.read(path, bytesMax: Self.bytesMax), Self.parse(bytes).digest == digest,
                try accepted()?.digest == digest
            else { return }
            try writeAccepted(bytes)
        }
    }

    /// Names of the rules that are off.
    func off() throws(HostError) -> Set<String> {
        let bytes = try Files.read(offPath, bytesMax: Self.bytesMax) ?? []
        return Set(bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
    }

    private func write(_ off: Set<String>) throws(HostError) {
        guard !off.isEmpty else { return try Files.remove(offPath) }
        try Files.replace(offPath, with: Array(off.sorted().map { $0 + "\n" }.joined().utf8))
    }

    /// The reason if not all rules apply; else nil.
    var problem: String? {
        do throws(HostError) { return try kept()?.problem } catch { return unreadable(error) }
    }

    private func unreadable(_ error: HostError) -> String { "the rules cannot be read, so everything is asked: \(error)" }

    // MARK: For the host

    private(set) var isUnreadable = false

    var rules: KeptRules? {
        var rules: KeptRules?
        var problem: String?
        do throws(HostError) {
            let kept = try kept()
            // A disk that does not take it now may later.
            if let kept, kept.lacksText { try? keepAcceptedText(of: kept.rules.digest) }
            (rules, problem) = (kept?.rules, kept?.problem)
            isUnreadable = false
        } catch {
            // Each call is asked, but a call that the accepted text denies stays denied.
            rules = (try? accepted())?.rulesAlone
            problem = unreadable(error)
            isUnreadable = true
        }
        if let problem, problem != logged { logger?.warning("not all rules hold", metadata: ["problem": "\(problem)"]) }
        logged = problem
        return rules
    }

    func switchOff(_ rule: String) throws(SpoolError) {
        do throws(HostError) {
            try Files.edit(in: directory, within: Self.switchWithin) { () throws(HostError) in
                try write(try off().union([rule]))
            }
        } catch { throw SpoolError(.failed, error.message) }
    }

    func add(_ text: String, by person: String, at wall: Int64) throws(SpoolError) {
        let remark = "# Added from afar by \(VisibleText.line(person)) on \(Self.moment(wall).day)."
        try rewrite { book, old throws(RuleError) in
            let new = old + (old.isEmpty ? "" : "\n") + remark + "\n" + text + "\n"
            _ = try book.adding(text, to: new)
            return new
        }
    }

    func change(_ rule: String, to text: String, by person: String, at wall: Int64) throws(SpoolError) {
        let remark = "# Changed from afar by \(VisibleText.line(person)) on \(Self.moment(wall).day)."
        try rewrite { book, old throws(RuleError) in try book.replacing(rule, by: text, under: remark, in: old) }
    }

    private func rewrite(_ change: (RuleBook, String) throws(RuleError) -> String) throws(SpoolError) {
        do throws(HostError) {
            try Files.edit(in: directory, within: Self.switchWithin) { () throws(HostError) in try replace(change) }
        } catch { throw SpoolError(.failed, error.message) }
    }

    /// Replaces the file before its digest is accepted: after a crash in between, the rules allow nothing until the owner has
    /// looked at them.
    private func replace(_ change: (RuleBook, String) throws(RuleError) -> String) throws(HostError) {
        let old = try Files.read(path, bytesMax: Self.bytesMax) ?? []
        let (digest, read) = Self.parse(old)
        let accepted = try accepted()
        guard accepted?.digest == digest || (old.isEmpty && accepted?.book == nil) else {
            throw HostError(.badInput, "its owner has not accepted the rules there as they are: heliograph rules accept")
        }
        let new: [UInt8]
        do throws(RuleError) { new = Array(try change(read.get(), String(decoding: old, as: UTF8.self)).utf8) } catch {
            throw HostError(.badInput, "\(error)")
        }
        try Files.replace(path, with: new)
        try writeAccepted(new)
    }

    func target(of path: String) -> String? {
        guard looks.wait(timeout: .now()) == .success else { return nil }
        let (found, looks) = (FoundPath(), looks)
        let isStarted = BackgroundThread.start {
            found.settle(PathLinks.real(path))
            looks.signal()
        }
        guard isStarted else {
            looks.signal()
            return nil
        }
        return found.wait(Self.lookWithin)
    }

    func moment(at wall: Int64) -> RuleMoment { Self.moment(wall) }

    /// `wall` is in milliseconds since 1970.
    static func moment(_ wall: Int64) -> RuleMoment {
        var seconds = time_t(wall / 1_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { preconditionFailure("a date of this age has a calendar") }
        let day = unsafe "\(parts.tm_year + 1_900)-\((parts.tm_mon + 1).twoDigits)-\(parts.tm_mday.twoDigits)"
        return RuleMoment(day: day, minute: unsafe Int(parts.tm_hour * 60 + parts.tm_min))
    }
}

extension BinaryInteger {
    var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}

/// The result of a lookup that may come too late.
///
/// `@unchecked`: `path` is written before the one signal, and read after it.
private final class FoundPath: @unchecked Sendable {
    private let settled = DispatchSemaphore(value: 0)
    private var path: String?

    func settle(_ path: String?) {
        self.path = path
        settled.signal()
    }

    func wait(_ time: DispatchTimeInterval) -> String? { settled.wait(timeout: .now() + time) == .success ? path : nil }
}
