/** D-Bus messages as bytes: header fields and body. Pure. */
import { Reader, Writer, type Value } from './marshal.ts';

export type MessageType = 'call' | 'return' | 'error' | 'signal';

export interface Message {
	readonly type: MessageType;
	readonly serial: number;
	readonly path?: string;
	readonly interface?: string;
	readonly member?: string;
	readonly errorName?: string;
	readonly replySerial?: number;
	readonly destination?: string;
	readonly sender?: string;
	/** Of the body. */
	readonly signature?: string;
	readonly body?: readonly Value[];
}

const TYPES: readonly MessageType[] = ['call', 'return', 'error', 'signal'];
const FIELDS = [
	...[['path', 1, 'o'] as const, ['interface', 2, 's'] as const, ['member', 3, 's'] as const, ['errorName', 4, 's'] as const],
	...[['replySerial', 5, 'u'] as const, ['destination', 6, 's'] as const, ['sender', 7, 's'] as const, ['signature', 8, 'g'] as const],
];
const LITTLE_ENDIAN = 0x6c;
const PROTOCOL = 1;
const FIXED_BYTES = 16;

export function encode(message: Message): Buffer {
	const body = new Writer();
	if (message.signature !== undefined) body.all(message.signature, message.body ?? []);
	const fields = FIELDS.flatMap(([name, code, type]) => (message[name] === undefined ? [] : [[code, [type, message[name]]]]));
	const writer = new Writer();
	writer.all('yyyyuua(yv)', [LITTLE_ENDIAN, TYPES.indexOf(message.type) + 1, 0, PROTOCOL, body.length, message.serial, fields as Value]);
	writer.pad(8);
	writer.raw(body.bytes);
	return writer.bytes;
}

/** How many bytes the message takes that begins here; undefined while that is not known. */
export function messageLength(bytes: Buffer): number | undefined {
	if (bytes.length < FIXED_BYTES) return undefined;
	const [body, fields] = [bytes.readUInt32LE(4), bytes.readUInt32LE(12)];
	return FIXED_BYTES + Math.ceil(fields / 8) * 8 + body;
}

/** @param bytes of one whole message, little endian as those are that we and every daemon on this machine send */
export function decode(bytes: Buffer): Message {
	const reader = new Reader(bytes);
	const [, type, , , , serial, fields] = reader.all('yyyyuua(yv)');
	const found: Record<string, Value> = {};
	for (const [code, value] of fields as readonly (readonly [number, Value])[]) {
		const name = FIELDS.find(([, known]) => known === code)?.[0];
		if (name !== undefined) found[name] = value;
	}
	reader.align(8);
	const head = { type: TYPES[Number(type) - 1] ?? 'error', serial: Number(serial), ...found } as Message;
	return head.signature === undefined ? head : { ...head, body: new Reader(bytes.subarray(reader.at)).all(head.signature) };
}
