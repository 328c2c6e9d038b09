/// Objects that are only sent over HTTP: pairing, tokens and their revocation, pictures.
extension WireTable {
    package static let http = [
        token, pairing, paired, pairedPage, registration, registering, registered, me, meHost, revocation, revoked, renaming,
        renamed,
        picture, pushDocument,
    ]

    private static let tokenName: [WireField] = [
        .required("id", .identifier), .required("role", .word(PairingRole.self)),
        .required(
            "kind",
            WireType(.openWord(["browser", "terminal", "app", "host", "program", "unsure"]))),
        .required("name", .name),
    ]

    package static let token = WireObject(
        "token", "What lets somebody in, of `GET /v1/tokens`.",
        tokenName + [
            .required("subject", .anyText), .required("createdAt", .time),
            .optional("by", .object(named.fields + [.optional("revoked", .flag)]), "The token that made its code."),
            .optional("usedAt", .time), .optional("usedFrom", .anyText, "The address that it was last used from."),
            .required("connections", .count),
            .required("children", .list(.object(tokenName)), "Those not revoked that it let in, the nearest first."),
            .optional("moreChildren", .count, "Those beyond the ones that a list names."),
            .optional("revokedAt", .time), .optional("own", .flag, "It is the asker's."),
        ])

    package static let pairing = WireObject(
        "pairing", "What `POST /v1/pair` is sent: a code, for a token.",
        [
            .required("code", .text(bytesMax: WireLimits.pairingCodeBytesMax)), .optional("name", .name),
            .optional("previous", .name, "A host's earlier token: with it the host stays the one that it was."),
            .optional(
                "token", .text(bytesMax: WireLimits.secretBytesMax),
                "A token that the program made: with the same again it gets the same answer, should the first be lost."),
            .optional(
                "kind", WireType(.openWord(["terminal", "app"], bytesMax: WireLimits.tokenKindBytesMax)),
                "What a program says of itself."),
        ])

    private static let pairedNames: [WireField] = [.required("role", .word(PairingRole.self)), .required("name", .name)]

    package static let paired = WireObject(
        "paired", "What a program is answered.", [.required("token", .text(bytesMax: WireLimits.secretBytesMax))] + pairedNames)

    package static let pairedPage = WireObject(
        "paired-page", "What a page is answered, whose browser keeps the token in a cookie.",
        [.required("key", .text(bytesMax: WireLimits.secretBytesMax))] + pairedNames)

    package static let registration = WireObject(
        "registration", "What `GET /v1/register` answers.",
        [
            .required(
                "registration", WireType(.openWord(["open", "invited"])), "Whether anybody may register a workspace.")
        ])

    package static let registering = WireObject(
        "registering", "What `POST /v1/register` is sent.",
        [
            .optional(
                "key", .text(bytesMax: WireLimits.secretBytesMax),
                "Names the workspace: with the same again there are new codes for it, until somebody has entered it.")
        ])

    package static let registered = WireObject(
        "registered", "What `POST /v1/register` answers: a new workspace, and two codes for it, each of which works once.",
        [
            .required("workspace", .object(named)),
            .required("device", .text(bytesMax: WireLimits.pairingCodeBytesMax), "For a device, which also steers."),
            .required("machine", .text(bytesMax: WireLimits.pairingCodeBytesMax), "For a machine with agents."),
            .required("expiresAt", .time),
            .optional(
                "terms",
                .object([
                    .required("megabytes", .count, "Of events."),
                    .required("sessions", .count),
                    .required("keepDays", .count, "Days for which a session is kept in which nothing happens."),
                    .required("idleDays", .count, "Days without use after which the workspace is deleted."),
                ]), "Limits of the workspace."),
        ])

    private static let relay: [WireField] = [
        .required("workspace", .object(named)), .required("software", .name),
        .required("at", .time, "The relay's clock."),
    ]

    package static let me = WireObject(
        "me", "What `GET /v1/me` answers a client.", [.required("client", .object(named))] + relay)

    package static let meHost = WireObject(
        "me-host", "What `GET /v1/me` answers a host.", [.required("host", .object(named))] + relay)

    package static let revocation = WireObject(
        "revocation", "What `POST /v1/tokens/ID/revoke` is sent; nothing at all says the same as no field.",
        [.optional("keepChildren", .flag, "Those that it let in stay.")])

    package static let revoked = WireObject(
        "revoked", "The answer, the named one first.", [.required("revoked", .list(.object(tokenName)))])

    package static let renaming = WireObject(
        "renaming", "What `POST /v1/tokens/ID/rename` is sent.", [.required("name", .name)])

    package static let renamed = WireObject("renamed", "The answer, with the new name.", tokenName)

    package static let picture = WireObject(
        "picture", "A picture that the relay keeps with a session: what `POST /v1/pictures` answers, and prompts name.",
        [
            .required("digest", .digest, "The digest of its bytes."),
            .required("type", .word(PictureType.self, name: "picture-type")),
            .required("bytes", .integer(1...Int64(WireLimits.pictureBytesMax))),
        ])
}
