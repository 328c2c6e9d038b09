internal import Glibc
internal import RelayAccess
internal import RelayProtocol

/// The commands `login` and `logout`.
enum PairingCommands {
    static func login(_ options: ClientOptions, link text: String, name: String?) -> ClientExit {
        let terminal = Terminal(environment: options.environment)
        do throws(ClientError) {
            guard let link = PairingLink(try LinkText.read(text, terminal)) else {
                throw ClientError(.usage, "this is no pairing link", advice: "It looks like https://relay.example/#pair=CODE")
            }
            guard link.role == .client else {
                throw ClientError(.usage, "this link is for a host, not for a client")
            }
            if link.relay.isOpenToOthers {
                terminal.remark("warning: \(link.relay) is not encrypted: others on the network can read the token", .yellow)
            }
            let named = options.certificateAuthorityFile ?? options.environment.nonEmpty("HELIOGRAPH_CA_FILE")
            let authorities: String?
            do { authorities = try named.map(AuthorityFile.path) } catch { throw ClientError(.failed, error.message) }
            let file = ClientFile(options)
            try file.checkWritable()
            let request = PairingRequest(
                link: link, name: name ?? ownName(options.environment), certificateAuthorityFile: authorities)
            let result: PairingRequest.Result
            do { result = try request.perform() } catch { throw Self.fault(error, link.relay) }
            let former = try? file.read()
            try file.write(
                Credentials(relay: link.relay, token: result.token, name: result.name, certificateAuthorityFile: authorities))
            let isFormerRevoked = former.map(revoke) ?? true
            if options.isJSON {
                let document = JSONWriter.object {
                    $0.field("relay", link.relay.description)
                    $0.field("name", result.name)
                    $0.field("file", file.path)
                }
                terminal.print(JSONLine.text(document))
            } else {
                terminal.print("paired with \(link.relay) as \(VisibleText.line(result.name)); the token is in \(file.path)")
            }
            if let former, !isFormerRevoked {
                terminal.remark(
                    "\(former.relay) may still take the token that was here before: “heliograph token list” there, then "
                        + "“token revoke”.", .yellow)
            }
            if let secret = link.trust { return TrustTask.run(options, secret, name: name, isLogin: true) }
            return .done
        } catch {
            terminal.report(error)
            return error.exit
        }
    }

    static func logout(_ options: ClientOptions) -> ClientExit {
        let terminal = Terminal(environment: options.environment)
        do throws(ClientError) {
            let file = ClientFile(options)
            let credentials = try? file.read()
            guard try file.remove() else {
                let own = options.ownData().map {
                    "; the relay in \($0) lets this account in without, because its files are yours: “heliograph token list” has "
                        + "that token"
                }
                terminal.print(
                    options.isJSON
                        ? "{\"removed\":false,\"revoked\":false}" : "this terminal was not logged in" + (own ?? ""))
                return .done
            }
            let isRevoked = credentials.map(revoke) ?? false
            if options.isJSON {
                terminal.print("{\"removed\":true,\"revoked\":\(isRevoked)}")
            } else {
                terminal.print(isRevoked ? "forgotten here and revoked at the relay" : "forgotten here")
                if !isRevoked {
                    terminal.remark(
                        "The relay still takes the token: “heliograph token list” there, then “token revoke”.", .yellow)
                }
            }
            return .done
        } catch {
            terminal.report(error)
            return error.exit
        }
    }

    /// Revokes a token. Returns false if the relay did not confirm that it accepts the token no more.
    private static func revoke(_ credentials: Credentials) -> Bool {
        let exchange = HTTPExchange(
            relay: credentials.relay, path: "/v1/logout", bearer: credentials.token,
            certificateAuthorityFile: credentials.certificateAuthorityFile)
        guard let status = (try? exchange.perform())?.status else { return false }
        // A token that was revoked before is not accepted either.
        return (200..<300).contains(status) || status == 401
    }

    /// The default name of this terminal: `ada@laptop`.
    static func ownName(_ environment: Environment) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        let status = unsafe gethostname(&buffer, buffer.count - 1)
        let host = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let machine = status == 0 && !host.isEmpty ? host : "this machine"
        return environment.nonEmpty("USER").map { "\($0)@\(machine)" } ?? machine
    }

    static func fault(_ fault: PairingError, _ relay: RelayAddress) -> ClientError {
        switch fault {
        case .noAnswer(let reason) where reason.code == .local: ClientError(.failed, reason.message)
        case .noAnswer(let reason) where reason.code == .untrusted:
            ClientError(
                .unreachable, "\(relay): \(reason.message)",
                advice: "If it is yours: heliograph login --ca-file CERTIFICATE.pem LINK. It is remembered.")
        case .noAnswer(let reason): ClientError(.unreachable, "cannot reach \(relay): \(reason.message)")
        case .refused(429, _): ClientError(.refused, "too many attempts: wait a minute")
        case .refused(let status, _) where status >= 500: ClientError(.unreachable, fault.message)
        case .refused:
            ClientError(
                .unauthorised, fault.message, advice: "A link works once, for ten minutes. Make a new one: heliograph pair")
        case .notARelay: ClientError(.unreachable, "\(relay): \(fault.message)")
        case .otherRole: ClientError(.usage, fault.message)
        case .usedKey: ClientError(.refused, fault.message)
        }
    }
}
