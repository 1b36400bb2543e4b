/** Bodies of requests: whatever is sent, the answer is an object or a refusal, and what was read is read the same again. */
import { decodeBody, encodeBody, PROTOBUF } from '../../../api/codec/codec.ts';
import type { KindName } from '../../../api/kind-name.ts';
import { holdsSentEmpty } from '../../../api/sent-empty.ts';
import type { Choose } from '../choose.ts';
import { mustEqual, type Target } from '../fuzz.ts';
import { editedJson, withoutEmpty } from '../json.ts';
import { anyKind, objectOfKind } from '../objects.ts';
import { edited, editedBytes, NASTY } from '../text.ts';

interface Body {
	readonly kind: KindName;
	readonly body: Uint8Array;
	readonly strictness: 'Ignore' | 'Warn' | 'Strict';
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const STRICTNESS = ['Warn', 'Ignore', 'Strict'] as const;

const bodyOf = (choose: Choose, make: (object: object) => Uint8Array, edit: boolean): Body => {
	const kind = anyKind(choose);
	const object = objectOfKind(choose, kind);
	return { kind, body: make((edit ? editedJson(choose, object) : object) as object), strictness: choose.pick(STRICTNESS) };
};

const read = ({ kind, body, strictness }: Body, type: string): Record<string, unknown> =>
	decodeBody(body, type, kind, { strictness, warn: () => {} });

/** What was read once says the same in any encoding. */
function readsAgain(body: Body, type: string): void {
	const sent = read(body, type);
	// Lists that were sent empty are told from absent ones until the object is written, by what is defaulted (`policies` of an autoscaler), too.
	const object = holdsSentEmpty(sent) ? read({ ...body, body: encodeBody(sent, JSON_TYPE), strictness: 'Strict' }, JSON_TYPE) : sent;
	for (const again of [JSON_TYPE, PROTOBUF, YAML_TYPE]) {
		const bytes = encodeBody(object, again);
		const got = read({ ...body, body: bytes, strictness: 'Strict' }, again);
		if (again === PROTOBUF) mustEqual(withoutEmpty(got), withoutEmpty(object), 'read again as protobuf');
		else mustEqual(got, object, `read again as ${again}`);
	}
}

export const protobuf: Target<Body> = {
	name: 'protobuf',
	input(choose) {
		const sent = bodyOf(choose, (object) => Buffer.from(JSON.stringify(object)), false);
		let bytes: Buffer;
		try {
			bytes = Buffer.from(encodeBody(read({ ...sent, strictness: 'Ignore' }, JSON_TYPE), PROTOBUF));
		} catch {
			bytes = Buffer.from('6b3873000a060a02763112003200', 'hex');
		}
		return { ...sent, body: editedBytes(choose, bytes) };
	},
	check: (body) => readsAgain(body, PROTOBUF),
};

export const json: Target<Body> = {
	name: 'json',
	input(choose) {
		const sent = bodyOf(choose, (object) => Buffer.from(JSON.stringify(object)), true);
		return { ...sent, body: Buffer.from(edited(choose, sent.body.toString(), [...NASTY, '{', '}', '[', ']', ',', ':', '1', 'null'])) };
	},
	check: (body) => readsAgain(body, JSON_TYPE),
};

const YAML_WORDS = [
	'&a ',
	'*a',
	'<<: ',
	'- ',
	': ',
	'? ',
	'| ',
	'>\n',
	'\n',
	'\n  ',
	'---\n',
	'...\n',
	'!!binary ',
	'!!str ',
	'!x ',
	'~',
	'0o7',
	'1_0',
	'{',
	'}',
	'[',
	']',
	'#',
	'%YAML 1.1\n',
];

function yamlOf(object: object): Uint8Array {
	try {
		return encodeBody(object, YAML_TYPE);
	} catch {
		return Buffer.from('a: 1'); // nests too deep to be written
	}
}

export const yaml: Target<Body> = {
	name: 'yaml',
	input(choose) {
		const sent = bodyOf(choose, yamlOf, true);
		return { ...sent, body: Buffer.from(edited(choose, sent.body.toString(), YAML_WORDS)) };
	},
	check: (body) => readsAgain(body, YAML_TYPE),
};
