internal import AgentClaude
internal import HeliographPlatform
internal import HostCore
internal import WebSocketEngine

/// What is asked about a file waits a moment for that file.
extension HostDaemon {
    /// A disk tells in a millisecond. What takes longer is asked without: the terminal's own dialog is there already.
    private static let lookWithin = Duration.milliseconds(250)
    /// A thread each; where so many disks hang, nothing more is asked of them.
    private static let looksMax = 4

    func ask(_ hook: ClaudeHook, about path: String) {
        guard let token = hook.token, looksUnderWay < Self.looksMax else {
            tell(.hookCalled(hook.with(ClaudeFile(content: .unread(.late)))))
            return
        }
        let timer = loop.schedule(after: Self.lookWithin) { [unowned self] in
            looks[token]?.timer = nil
            looked(token, ClaudeFile(content: .unread(.late)))
        }
        looks[token] = (hook, timer)
        let (bound, handle) = (LoopBound(self, loop: loop), loop.handle)
        let isStarted = BackgroundThread.start {
            let file = FileLook.read(path)
            handle.execute {
                bound.value.looksUnderWay -= 1
                bound.value.looked(token, file)
            }
        }
        if isStarted { looksUnderWay += 1 } else { looked(token, ClaudeFile(content: .unread(.late))) }
    }

    private func looked(_ token: HookToken, _ file: ClaudeFile) {
        guard let hook = forget(token) else { return }
        tell(.hookCalled(hook.with(file)))
    }

    /// Nobody waits for the answer any more, or it is being asked.
    @discardableResult
    func forget(_ token: HookToken) -> ClaudeHook? {
        guard let look = looks.removeValue(forKey: token) else { return nil }
        if let timer = look.timer { loop.cancel(timer) }
        return look.hook
    }
}

extension ClaudeHook {
    fileprivate func with(_ file: ClaudeFile) -> ClaudeHook {
        var hook = self
        hook.file = file
        return hook
    }
}
