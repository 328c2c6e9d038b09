internal import HeliographLink
internal import RelayProtocol

/// `heliograph remove`: ends when the session is removed from the relay's disk.
final class RemoveTask: ClientTask {
    private unowned let run: ClientRun
    private let session: String
    private var removing: CommandID?

    init(_ run: ClientRun, _ session: String) {
        self.run = run
        self.session = session
        run.expect { false }
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where removing == nil:
            do throws(ClientError) {
                removing = run.submit(.remove(try name()))
            } catch { run.fail(error) }
        case .replied(let id, let reply) where id == removing: replied(reply, to: id)
        default: break
        }
    }

    /// The session's id. A session older than those that are listed must be named in full.
    private func name() throws(ClientError) -> SessionID {
        do throws(ClientError) {
            return try WatchTask.find(session, in: run.view)
        } catch {
            guard error.exit == .notFound, let whole = SessionID(session) else { throw error }
            return whole
        }
    }

    private func replied(_ reply: Reply, to id: CommandID) {
        if case .failed(let notice, _) = reply { return run.fail(.notTaken(notice, "remove sessions")) }
        if run.options.isJSON {
            run.terminal.print(JSONLine.text(MessageToClient.reply(id, reply).bytes))
        } else {
            run.terminal.print(run.terminal.palette.paint("✓ removed", .green))
        }
        run.finish(.done)
    }
}
