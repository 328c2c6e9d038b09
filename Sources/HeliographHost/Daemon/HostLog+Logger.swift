internal import HeliographLink
internal import HostCore
internal import Logging
internal import RelayProtocol

extension Logger {
    func log(_ entry: HostLog) {
        switch entry {
        case .link(let entry): log(entry)
        case .decided(let session, let approval, let command):
            info(
                "a decision came",
                metadata: ["session.id": "\(session)", "approval.id": "\(approval)", "command.id": "\(command)"])
        case .answeredByRule(let session, let approval, let answer, let rule):
            info(
                "a rule answered",
                metadata: [
                    "session.id": "\(session)", "approval.id": "\(approval)", "answer": "\(answer.rawValue)", "rule": "\(rule)",
                ])
        case .settledAlready(let session, let approval, let command):
            info(
                "a decision came again whose approval is over",
                metadata: ["session.id": "\(session)", "approval.id": "\(approval)", "command.id": "\(command)"])
        case .consent(let entry): log(entry)
        case .foreign(let session, let command):
            warning(
                "a decision came for a session of no agent that is known here",
                metadata: ["session.id": "\(session)", "command.id": "\(command)"])
        case .steered(let session, let name, let action):
            notice(
                "a client steers a session",
                metadata: [
                    "session.id": "\(session)", "client.id": "\(name.client)", "command.id": "\(name.command)",
                    "action": "\(action.rawValue)",
                ])
        case .launched(let name, let action, let agent, let folder):
            notice(
                "somebody starts or looks for sessions",
                metadata: [
                    "client.id": "\(name.client)", "command.id": "\(name.command)", "action": "\(action.rawValue)",
                    "agent": "\(agent)", "folder": "\(folder)",
                ])
        case .held(let holds):
            info("the relay holds sessions", metadata: ["count": "\(holds.everySession ? "all" : "\(holds.sessions.count)")"])
        case .malformed(let session):
            error("an event of this host does not match the wire format", metadata: ["session.id": "\(session)"])
        case .notRecorded(let cause): error("the spool did not take an event", metadata: ["error": "\(cause)"])
        case .notSent(let cause): error("spooled events cannot be sent now", metadata: ["error": "\(cause)"])
        case .damaged(let session, let first, let cause):
            error(
                "a spooled event is damaged; it is gone",
                metadata: ["session.id": "\(session)", "first": "\(first)", "error": "\(cause)"])
        case .unreadable(let session): error("an unreadable spooled event is lost", metadata: ["session.id": "\(session)"])
        case .unsealable(let session):
            error("a spooled event is too long to be sealed, and is lost", metadata: ["session.id": "\(session)"])
        case .diskFails(let cause): error("the spool still does not take events", metadata: ["error": "\(cause)"])
        case .diskIsBack: info("the spool takes events again")
        }
    }

    private func log(_ entry: ConsentLog) {
        switch entry {
        case .decisionRefused(let session, let approval, let command, let reason):
            warning(
                "a decision was refused: no trusted device has signed it for what was shown",
                metadata: [
                    "session.id": "\(session)", "approval.id": "\(approval)", "command.id": "\(command)", "reason": "\(reason)",
                ])
        case .steeringRefused(let session, let name, let reason):
            warning(
                "a command was refused: no trusted device has signed it",
                metadata: [
                    "session.id": "\(session)", "client.id": "\(name.client)", "command.id": "\(name.command)",
                    "reason": "\(reason)",
                ])
        case .trusted(let name, let code):
            notice("a device is trusted", metadata: ["device.name": "\(name)", "device.code": "\(code)"])
        case .distrusted(let name, let code):
            notice("a device is trusted no more", metadata: ["device.name": "\(name)", "device.code": "\(code)"])
        case .notTrusted(let cause):
            error("a device is not trusted: the disk does not take it", metadata: ["error": "\(cause)"])
        case .passkeyAsked(let device, let code):
            notice(
                "a device asks to use a passkey: heliograph host passkey takes it",
                metadata: ["device.name": "\(device)", "passkey.code": "\(code)"])
        case .passkeyTaken(let device, let code):
            notice("a passkey is taken", metadata: ["device.name": "\(device)", "passkey.code": "\(code)"])
        case .letterRefused(let client, let reason):
            warning("a letter was refused", metadata: ["client.id": "\(client)", "reason": "\(reason)"])
        }
    }

    private func log(_ entry: LinkLog) {
        switch entry {
        case .connected(let relay): info("connected", metadata: ["relay.software": "\(relay)"])
        case .disconnected(.refused(let status, _), let wait) where status == 401 || status == 403:
            error(
                "the relay does not know this host: pair it again with heliograph host LINK",
                metadata: ["status": "\(status)", "retry": "\(wait)"])
        case .disconnected(let reason, let wait):
            warning("no connection to the relay", metadata: ["reason": "\(reason)", "retry": "\(wait)"])
        case .replaced:
            error("another process connected with this host's token: this one stays away until it is started again")
        case .notice(let code): warning("the relay says", metadata: ["code": "\(code.prefix(64))"])
        case .nameTaken(let session):
            error(
                "another host of this workspace has a session of this name: the relay refuses this host's events of it",
                metadata: ["session.id": "\(session)"])
        case .dropped(let session, let code):
            error(
                "the relay will not take an event; it is gone",
                metadata: ["session.id": "\(session)", "code": "\(code.prefix(64))"])
        }
    }
}
