import Foundation
import PushWeb
import RelayAccess
import RelayProtocol

/// Problems of pushes to browsers. Reports nothing if no browser has ever subscribed and nothing was set up.
struct WebPushDoctor {
    let path: String
    /// Further arguments of a command for this relay; see `RelayDoctor.flag`.
    let flag: String
    let configuration: ServerConfiguration

    private static let subject = "Browsers"
    private static let iPhones =
        "on an iPhone the page has to be on the Home Screen (Share, Add to Home Screen; iOS 16.4 or later)"

    func findings() -> [Finding] {
        let identity = WebPushIdentity(directory: path, configuration)
        guard identity.hasKey || configuration.pushContact != nil else { return [] }
        return [contact(identity), key(identity), page].compactMap { $0 } + troubles
            + (identity.hasKey ? [Self.ways] : [])
    }

    private func contact(_ identity: WebPushIdentity) -> Finding {
        do throws(PushObstacleError) {
            let contact = try identity.contact()
            return Finding(Self.subject, .well, "push services can ask at \(contact.text); \(Self.iPhones)")
        } catch {
            return Finding(Self.subject, .wrong, "nothing is pushed to them: \(error.sentence)", mend: WebPushIdentity.mend)
        }
    }

    private func key(_ identity: WebPushIdentity) -> Finding? {
        guard identity.hasKey else { return nil }
        do throws(PushObstacleError) { _ = try identity.openKey() } catch {
            return Finding(
                "Browsers' key", .wrong, error.sentence,
                mend:
                    "chmod 600 and chown it to the relay's user; if it is lost, heliograph restore has the one from the backup"
            )
        }
        return Finding("Browsers' key", .well, "\(identity.path), for the relay's eyes alone; heliograph backup has it too")
    }

    /// Browsers show notifications only for pages over HTTPS, and for this machine's own.
    private var page: Finding? {
        guard let url = configuration.publicURL, url.hasPrefix("http://") else { return nil }
        return Finding(
            "Browsers' page", .doubtful, "\(url) is not https: browsers let no page notify from there",
            mend: "put it behind TLS, and serve with --public-url https://…")
    }

    /// Problems that a running relay has met.
    private var troubles: [Finding] {
        guard let status = (try? PushStatus.read(in: path)) ?? nil,
            let origins = try? JSONDocument(parsing: status).root.object().required("web").array("origins")
        else { return [] }
        return origins.compactMap { origin in
            guard let service = try? origin.string("service") else { return nil }
            if let refusal = (try? origin.optionalString("refusal")) ?? nil {
                return Finding(
                    service, .wrong, "refuses our token: \(refusal)",
                    mend: "check this machine's clock (date -u: a token that is hours off is refused) and the contact")
            }
            let trouble = (try? origin.optionalString("trouble")) ?? nil
            return trouble.map { Finding(service, .doubtful, $0, mend: "heliograph push status\(flag)") }
        }
    }

    /// Tests connections from this machine to the browser makers' services.
    static var ways: Finding {
        let closed = WebPushReach.unreachable(within: .seconds(3))
        guard !closed.isEmpty else { return Finding("Push services", .well, "those of all makers can be reached from here") }
        return Finding(
            "Push services", .doubtful, "cannot be reached from here: \(closed.joined(separator: ", "))",
            mend: "let this machine reach their port 443 without a proxy; services of unused browsers do not matter")
    }
}
