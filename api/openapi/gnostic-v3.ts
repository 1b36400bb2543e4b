/** OpenAPI v3 as the protobuf message openapi.v3.Document (gnostic), which clients may ask for. Only what our documents contain is written. */
import { any, Message } from './gnostic-message.ts';
import type { Json } from './schemas.ts';

export function gnosticDocumentV3(spec: Json): Uint8Array {
	const info = spec['info'] as Json;
	const { schemas, securitySchemes } = (spec['components'] ?? {}) as { readonly schemas?: Json; readonly securitySchemes?: Json };
	const components = new Message();
	if (schemas !== undefined) components.message(1, named(1, schemas, schema));
	if (securitySchemes !== undefined) components.message(7, named(1, securitySchemes, securityScheme));
	return new Message()
		.text(1, spec['openapi'])
		.message(2, new Message().text(1, info['title']).text(2, info['description']).text(6, info['version']))
		.message(4, named(1, (spec['paths'] ?? {}) as Json, pathItem))
		.message(5, components)
		.done();
}

/** A list of pairs of name and value. */
function named(field: number, values: Json, of: (value: Json) => Message): Message {
	const out = new Message();
	for (const [name, value] of Object.entries(values)) out.message(field, new Message().text(1, name).message(2, of(value as Json)));
	return out;
}

/** What may stand in place of a reference to it, or a reference. */
function orReference(given: Json, of: (given: Json) => Message): Message {
	const { $ref } = given;
	return typeof $ref === 'string' ? new Message().message(2, new Message().text(1, $ref)) : new Message().message(1, of(given));
}

const METHODS: Readonly<Record<string, number>> = { get: 4, put: 5, post: 6, delete: 7, options: 8, head: 9, patch: 10, trace: 11 };

function pathItem(item: Json): Message {
	const out = new Message().text(1, item['$ref']).text(2, item['summary']).text(3, item['description']);
	for (const [method, field] of Object.entries(METHODS))
		if (item[method] !== undefined) out.message(field, operation(item[method] as Json));
	return parameters(out, 13, item);
}

function operation(given: Json): Message {
	const out = new Message().texts(1, given['tags']).text(2, given['summary']).text(3, given['description']).text(5, given['operationId']);
	parameters(out, 6, given);
	const { requestBody } = given as { readonly requestBody?: Json };
	if (requestBody !== undefined) out.message(7, orReference(requestBody, body));
	return extensions(out.message(8, responses((given['responses'] ?? {}) as Json)).flag(10, given['deprecated']), 13, given);
}

function parameters(out: Message, field: number, given: Json): Message {
	for (const one of (given['parameters'] ?? []) as Json[]) out.message(field, orReference(one, parameter));
	return out;
}

function parameter(given: Json): Message {
	const out = new Message().text(1, given['name']).text(2, given['in']).text(3, given['description']).flag(4, given['required']);
	if (given['schema'] !== undefined) out.message(10, schema(given['schema'] as Json));
	return out;
}

function body(given: Json): Message {
	return content(new Message().text(1, given['description']), 2, given).flag(3, given['required']);
}

function responses(given: Json): Message {
	const { default: other, ...codes } = given;
	const out = new Message();
	if (other !== undefined) out.message(1, orReference(other as Json, response));
	for (const [code, value] of Object.entries(codes))
		out.message(2, new Message().text(1, code).message(2, orReference(value as Json, response)));
	return out;
}

function response(given: Json): Message {
	return content(new Message().text(1, given['description']), 3, given);
}

function content(out: Message, field: number, given: Json): Message {
	if (given['content'] === undefined) return out;
	const media = (one: Json): Message =>
		one['schema'] === undefined ? new Message() : new Message().message(1, schema(one['schema'] as Json));
	return out.message(field, named(1, given['content'] as Json, media));
}

function securityScheme(given: Json): Message {
	const { type, description, name, in: where } = given;
	return new Message().message(1, new Message().text(1, type).text(2, description).text(3, name).text(4, where));
}

const schema = (given: Json): Message => orReference(given, plainSchema);

const COMBINED = [
	['allOf', 26],
	['oneOf', 27],
	['anyOf', 28],
] as const;

function plainSchema(given: Json): Message {
	const out = new Message().flag(1, given['nullable']).flag(3, given['readOnly']).flag(4, given['writeOnly']);
	out.flag(8, given['deprecated']).text(9, given['title']).double(10, given['multipleOf']);
	out.double(11, given['maximum']).flag(12, given['exclusiveMaximum']).double(13, given['minimum']).flag(14, given['exclusiveMinimum']);
	out.count(15, given['maxLength']).count(16, given['minLength']).text(17, given['pattern']);
	out.count(18, given['maxItems']).count(19, given['minItems']).flag(20, given['uniqueItems']);
	out.count(21, given['maxProperties']).count(22, given['minProperties']).texts(23, given['required']);
	for (const value of (given['enum'] ?? []) as unknown[]) out.message(24, any(value));
	out.text(25, given['type']);
	for (const [key, field] of COMBINED) for (const one of (given[key] ?? []) as Json[]) out.message(field, schema(one));
	if (given['not'] !== undefined) out.message(29, plainSchema(given['not'] as Json));
	if (given['items'] !== undefined) out.message(30, new Message().message(1, schema(given['items'] as Json)));
	if (given['properties'] !== undefined) out.message(31, named(1, given['properties'] as Json, schema));
	const additional = given['additionalProperties'];
	if (typeof additional === 'boolean') out.message(32, new Message().bool(2, additional));
	else if (additional !== undefined) out.message(32, new Message().message(1, schema(additional as Json)));
	if (given['default'] !== undefined) out.message(33, defaultOf(given['default']));
	return extensions(out.text(34, given['description']).text(35, given['format']), 36, given);
}

/** There is room for scalars; of an object nothing is left but that it is there. */
function defaultOf(value: unknown): Message {
	const out = new Message();
	if (typeof value === 'number') return out.double(1, value);
	if (typeof value === 'boolean') return out.bool(2, value);
	return typeof value === 'string' ? out.bytes(3, Buffer.from(value)) : out;
}

function extensions(out: Message, field: number, given: Json): Message {
	for (const [key, value] of Object.entries(given))
		if (key.startsWith('x-')) out.message(field, new Message().text(1, key).message(2, any(value)));
	return out;
}
