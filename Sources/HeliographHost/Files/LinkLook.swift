internal import HeliographPlatform
internal import WebSocketEngine

/// Finds out where links lead in paths that an agent asks to write to, never on the event loop's thread: a disk may not answer.
final class LinkLook {
    /// A disk answers in a millisecond.
    private static let within = Duration.milliseconds(250)
    /// A thread each; once so many hang on a disk, no more are started.
    private static let looksMax = 4
    /// Paths of one question; more are more than a person looks through.
    private static let pathsMax = 256

    private let loop: EventLoop
    private var underWay = 0
    private var timers: [Int: TimerID] = [:]
    private var lastLook = 0

    init(_ loop: EventLoop) { self.loop = loop }

    /// `found` is called once, later: with the files that are meant, by the paths through which a link leads to them; nil if the disk did
    /// not answer in time. `folder` is the agent's working directory: links above it are not its doing.
    func find(_ paths: [String], in folder: String?, _ found: @escaping ([String: String]?) -> Void) {
        lastLook += 1
        let look = lastLook
        timers[look] = loop.schedule(after: Self.within) { [weak self] in
            self?.timers[look] = nil
            found(nil)
        }
        guard paths.count <= Self.pathsMax, underWay < Self.looksMax else { return }
        let (bound, handle) = (LoopBound((self, found), loop: loop), loop.handle)
        let isStarted = BackgroundThread.start {
            var links: [String: String] = [:]
            for path in paths {
                let whole = path.hasPrefix("/") ? path : folder.map { $0 + "/" + path }
                links[path] = whole.flatMap { PathLinks.target(of: $0, in: folder) }
            }
            handle.execute { [links] in
                let (this, found) = bound.value
                this.underWay -= 1
                guard let timer = this.timers.removeValue(forKey: look) else { return }
                this.loop.cancel(timer)
                found(links)
            }
        }
        if isStarted { underWay += 1 }
    }
}
