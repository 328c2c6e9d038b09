/// The JSON Schema of every message, as the relay serves it; built from `WireTable` on first use.
package enum Schema {
    package static let json: [UInt8] = {
        var maker = SchemaMaker()
        return maker.document()
    }()
}

/// Builds the schema. Rules that a schema cannot express are in its descriptions; presence that it can express is in `object`.
private struct SchemaMaker {
    private typealias JSON = [UInt8]

    /// Shared definitions, by name.
    private var definitions: [String: JSON] = [:]

    mutating func document() -> [UInt8] {
        let directions = WireMessage.Direction.allCases
        for direction in directions { define(direction) }
        for object in WireTable.http { _ = schema(.object(object)) }
        let named = definitions.sorted { $0.key < $1.key }
        return make {
            $0.field("$schema", "https://json-schema.org/draft/2020-12/schema")
            $0.field("$id", "urn:heliograph:wire:v\(ProtocolVersion.current)")
            $0.field("title", "The wire of Heliograph, version \(ProtocolVersion.current)")
            $0.field(
                "description",
                """
                Every message is one JSON object in one WebSocket text message, `type` first. Validate against the definition of its \
                direction: \(directions.map { "#/$defs/" + $0.rawValue }.joined(separator: ", ")); what is said over HTTP alone is \
                \(WireTable.http.compactMap(\.name).joined(separator: ", ")). Unknown fields are ignored; absent and \
                null mean the same. What a schema cannot say: no duplicate keys, no nesting beyond \(JSONDocument.depthMax), no lone \
                surrogates, whole numbers without fraction or exponent, texts limited in bytes (maxLength counts characters), an event at \
                most \(WireLimits.eventBytesMax) bytes, and one that is signed as one text (`shown`) or sealed at most \(WireLimits.shownEventBytesMax).
                """)
            $0.array("anyOf", directions.map { reference($0.rawValue) })
            $0.raw("$defs", object(named.map { ($0.key, $0.value) }))
        }
    }

    // MARK: - Messages and events

    private mutating func define(_ direction: WireMessage.Direction) {
        var variants: [(type: String, messages: [WireMessage])] = []
        for message in WireTable.messages(direction) {
            if message.onlyWith != nil {
                variants[variants.count - 1].messages.append(message)
            } else {
                variants.append((message.type, [message]))
            }
        }
        for (type, messages) in variants {
            let schemas = messages.map { schema($0.object) }
            let name = "\(direction.rawValue).\(type)"
            if let with = messages.last?.onlyWith {
                definitions[name] = make {
                    $0.raw("if", make { $0.strings("required", [with]) })
                    $0.raw("then", schemas[1])
                    $0.raw("else", schemas[0])
                }
            } else {
                definitions[name] = schemas[0]
            }
        }
        let types = variants.map(\.type)
        definitions[direction.rawValue] = make {
            $0.field("type", "object")
            $0.raw("properties", object([("type", words(types))]))
            $0.strings("required", ["type"])
            $0.array("allOf", types.map { when("type", is: [$0], then: reference("\(direction.rawValue).\($0)")) })
        }
    }

    private mutating func defineEvents() {
        guard definitions["event"] == nil else { return }
        // Added first, as the definitions below may refer to it.
        definitions["event"] = []
        let event = schema(WireTable.event)
        for kind in EventKind.allCases { definitions["head.\(kind.rawValue)"] = schema(WireTable.head(kind)) }
        let heads = EventKind.allCases.map { kind in
            when("kind", is: [kind.rawValue], then: properties([("head", reference("head.\(kind.rawValue)"))]))
        }
        definitions["event"] = make { $0.array("allOf", [event] + heads) }
        let forRelay = EventKind.allCases.filter(\.isMadeByRelay).map(\.rawValue)
        definitions["event-of-host"] = make {
            $0.field("description", "What a host may state; the rest only the relay does.")
            $0.array("allOf", [reference("event"), properties([("kind", make { $0.raw("not", words(forRelay)) })])])
        }
    }

    // MARK: - Objects

    private mutating func schema(_ wire: WireObject) -> JSON {
        var members: [(String, JSON)] = []
        for field in wire.fields {
            let isNullable = !field.isRequired
            let meaning = [field.meaning, field.standing.map { "It stands \($0)." }].compactMap(\.self).joined(separator: " ")
            members.append((field.name, schema(field.type, meaning: meaning.isEmpty ? nil : meaning, isNullable: isNullable)))
        }
        var conditions: [JSON] = []
        var besides: [String: [String]] = [:]
        for field in wire.fields {
            switch field.presence {
            case .with(let other, always: let words, perhaps: _) where !words.isEmpty:
                let required = make {
                    $0.raw("properties", object([(field.name, schema(field.type))]))
                    $0.strings("required", [field.name])
                }
                conditions.append(when(other, is: words, then: required))
            case .beside(let other): besides[other, default: []].append(field.name)
            default: break
            }
        }
        return make {
            $0.field("description", wire.meaning)
            $0.field("type", "object")
            $0.raw("properties", object(members))
            let required = wire.fields.filter(\.isRequired).map(\.name)
            if !required.isEmpty { $0.strings("required", required) }
            if !besides.isEmpty {
                $0.raw("dependentRequired", object(besides.sorted { $0.key < $1.key }.map { ($0, strings($1)) }))
            }
            if !conditions.isEmpty { $0.array("allOf", conditions) }
        }
    }

    private mutating func schema(_ type: WireType, meaning: String? = nil, isNullable: Bool = false) -> JSON {
        let plain: JSON
        if let name = type.name {
            if definitions[name] == nil {
                // Added before it is built, as the type may refer to itself.
                definitions[name] = []
                definitions[name] = spelled(type)
            }
            plain = reference(name)
        } else {
            plain = spelled(type)
        }
        guard isNullable || meaning != nil else { return plain }
        return make {
            $0.field("description", meaning)
            $0.array("anyOf", isNullable ? [plain, make { $0.field("type", "null") }] : [plain])
        }
    }

    private mutating func spelled(_ type: WireType) -> JSON {
        switch type.shape {
        case .flag: return make { $0.field("type", "boolean") }
        case .integer(let range):
            return make {
                $0.field("description", type.meaning)
                $0.field("type", "integer")
                $0.field("minimum", range.lowerBound)
                $0.field("maximum", range.upperBound)
            }
        case .text(let bytesMax):
            return make {
                $0.field("description", type.meaning)
                $0.field("type", "string")
                if bytesMax < .max { $0.field("maxLength", Int64(bytesMax)) }
            }
        case .pattern(let pattern, _):
            return make {
                $0.field("description", type.meaning)
                $0.field("type", "string")
                $0.field("pattern", pattern)
            }
        case .word(let words): return self.words(words)
        case .openWord(let words, let bytesMax):
            return make {
                $0.field("description", type.meaning)
                $0.field("type", "string")
                if bytesMax < .max { $0.field("maxLength", Int64(bytesMax)) }
                $0.strings("examples", words)
            }
        case .object(let object): return schema(object)
        case .either(let plain, let others):
            return others.reversed().reduce(schema(.object(plain))) { rest, other in
                make {
                    $0.raw("if", make { $0.strings("required", [other.key]) })
                    $0.raw("then", schema(.object(other.value)))
                    $0.raw("else", rest)
                }
            }
        case .list(let element, let range):
            let items = schema(element)
            return make {
                $0.field("type", "array")
                if range.lowerBound > 0 { $0.field("minItems", Int64(range.lowerBound)) }
                if range.upperBound < .max { $0.field("maxItems", Int64(range.upperBound)) }
                $0.raw("items", items)
            }
        case .event(let kind, let isOfHost):
            defineEvents()
            let event = reference(isOfHost ? "event-of-host" : "event")
            guard let kind else { return event }
            return make { $0.array("allOf", [event, properties([("kind", words([kind.rawValue]))])]) }
        case .fields: return make { $0.field("type", "object") }
        }
    }

    // MARK: - Pieces

    private func make(_ body: (inout JSONWriter) -> Void) -> JSON { JSONWriter.object(body) }

    private func object(_ members: [(String, JSON)]) -> JSON {
        make { for (name, value) in members { $0.raw(dynamic: name, value) } }
    }

    private func properties(_ members: [(String, JSON)]) -> JSON { make { $0.raw("properties", object(members)) } }

    private func strings(_ texts: [String]) -> JSON { JSONWriter.array(texts.map(JSONWriter.string)) }

    private func words(_ words: [String]) -> JSON { make { $0.strings("enum", words) } }

    private func reference(_ name: String) -> JSON { make { $0.field("$ref", "#/$defs/\(name)") } }

    private func when(_ field: String, is words: [String], then: JSON) -> JSON {
        make {
            $0.raw(
                "if",
                make {
                    $0.raw("properties", object([(field, self.words(words))]))
                    $0.strings("required", [field])
                })
            $0.raw("then", then)
        }
    }
}
