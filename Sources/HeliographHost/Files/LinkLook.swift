internal import HeliographPlatform
internal import WebSocketEngine

/// Resolves links in paths that an agent asks to write to, never on the event loop's thread, because a disk may not answer.
final class LinkLook {
    /// Time for resolving links; a disk answers in a millisecond.
    private static let within = Duration.milliseconds(250)
    /// Lookups at a time, each on its own thread; once this many hang on a disk, no more are started.
    private static let looksMax = 4
    /// Paths of one question that are resolved; a person does not read more.
    private static let pathsMax = 256

    private let loop: EventLoop
    private var underWay = 0
    private var timers: [Int: TimerID] = [:]
    private var lastLook = 0

    init(_ loop: EventLoop) { self.loop = loop }

    /// Looks up where these paths lead. `found` is called once, later, with the real files by the paths that lead to them through a
    /// link; nil if the disk did not answer in time. `folder`: the agent's working directory; links above it are not the agent's
    /// doing.
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
