/** OpenAPI v2 as the protobuf message openapi.v2.Document (gnostic), which older kubectl ask for. Only what our documents contain is written. */
import { any, Message } from './gnostic-message.ts';
import type { Json } from './schemas.ts';

export function gnosticDocument(spec: Json): Uint8Array {
	const info = spec['info'] as Json;
	const paths = new Message();
	for (const [name, item] of Object.entries(spec['paths'] as Json))
		paths.message(2, new Message().text(1, name).message(2, pathItem(item as Json)));
	const definitions = new Message();
	for (const [name, value] of Object.entries(spec['definitions'] as Json))
		definitions.message(1, new Message().text(1, name).message(2, schema(value as Json)));
	const parameters = new Message();
	for (const [name, value] of Object.entries((spec['parameters'] ?? {}) as Json))
		parameters.message(1, new Message().text(1, name).message(2, parameter(value as Json)));
	const out = new Message()
		.text(1, spec['swagger'])
		.message(2, new Message().text(1, info['title']).text(2, info['version']))
		.message(8, paths)
		.message(9, definitions)
		.message(10, parameters);
	for (const one of (spec['security'] ?? []) as Json[]) {
		const required = new Message();
		for (const [name, scopes] of Object.entries(one))
			required.message(1, new Message().text(1, name).message(2, new Message().texts(1, scopes)));
		out.message(12, required);
	}
	const securities = new Message();
	for (const [name, value] of Object.entries((spec['securityDefinitions'] ?? {}) as Json)) {
		const { type, name: header, in: where, description } = value as Json;
		const key = new Message().text(1, type).text(2, header).text(3, where).text(4, description);
		securities.message(1, new Message().text(1, name).message(2, new Message().message(2, key)));
	}
	return out.message(13, securities).done();
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

function pathItem(item: Json): Message {
	const out = new Message();
	for (const [method, field] of Object.entries(METHODS))
		if (item[method] !== undefined) out.message(field, operation(item[method] as Json));
	for (const one of (item['parameters'] ?? []) as Json[]) out.message(9, parametersItem(one));
	return out;
}

function operation(given: Json): Message {
	const out = new Message()
		.texts(1, given['tags'])
		.text(3, given['description'])
		.text(5, given['operationId'])
		.texts(6, given['produces'])
		.texts(7, given['consumes']);
	for (const one of (given['parameters'] ?? []) as Json[]) out.message(8, parametersItem(one));
	const responses = new Message();
	for (const [code, answer] of Object.entries((given['responses'] ?? {}) as Json)) {
		const { description, schema: body } = answer as Json;
		const response = new Message().text(1, description);
		if (body !== undefined) response.message(2, new Message().message(1, schema(body as Json)));
		responses.message(1, new Message().text(1, code).message(2, new Message().message(1, response)));
	}
	return extensions(out.message(9, responses).texts(10, given['schemes']), 13, given);
}

const PARAMETER_FIELD: Readonly<Record<string, number>> = { header: 1, formData: 2, query: 3, path: 4 };

function parametersItem(given: Json): Message {
	const ref = given['$ref'];
	if (ref !== undefined) return new Message().message(2, new Message().text(1, ref));
	return new Message().message(1, parameter(given));
}

function parameter(given: Json): Message {
	const where = given['in'] as string;
	if (where === 'body') {
		const body = new Message().text(1, given['description']).text(2, given['name']).text(3, where).flag(4, given['required']);
		return new Message().message(1, body.message(5, schema(given['schema'] as Json)));
	}
	const one = new Message().flag(1, given['required']).text(2, where).text(3, given['description']).text(4, given['name']);
	one.text(where === 'query' ? 6 : 5, given['type']).flag(where === 'query' ? 20 : 19, given['uniqueItems']);
	return new Message().message(2, new Message().message(PARAMETER_FIELD[where] ?? 3, one));
}

function schema(given: Json): Message {
	const out = new Message().text(1, given['$ref']).text(2, given['format']).text(3, given['title']).text(4, given['description']);
	if (given['default'] !== undefined) out.message(5, any(given['default']));
	out.double(6, given['multipleOf']).double(7, given['maximum']).flag(8, given['exclusiveMaximum']);
	out.double(9, given['minimum']).flag(10, given['exclusiveMinimum']);
	out.count(11, given['maxLength']).count(12, given['minLength']).text(13, given['pattern']);
	out.count(14, given['maxItems']).count(15, given['minItems']).flag(16, given['uniqueItems']);
	out.count(17, given['maxProperties']).count(18, given['minProperties']).texts(19, given['required']);
	for (const value of (given['enum'] ?? []) as unknown[]) out.message(20, any(value));
	const additional = given['additionalProperties'];
	if (typeof additional === 'boolean') out.message(21, new Message().flag(2, additional));
	else if (additional !== undefined) out.message(21, new Message().message(1, schema(additional as Json)));
	if (typeof given['type'] === 'string') out.message(22, new Message().text(1, given['type']));
	if (given['items'] !== undefined) out.message(23, new Message().message(1, schema(given['items'] as Json)));
	if (given['properties'] !== undefined) {
		const properties = new Message();
		for (const [name, value] of Object.entries(given['properties'] as Json))
			properties.message(1, new Message().text(1, name).message(2, schema(value as Json)));
		out.message(25, properties);
	}
	return extensions(out, 31, given);
}

function extensions(out: Message, field: number, given: Json): Message {
	for (const [key, value] of Object.entries(given))
		if (key.startsWith('x-')) out.message(field, new Message().text(1, key).message(2, any(value)));
	return out;
}
