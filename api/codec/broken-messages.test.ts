import test from 'ava';
import { decodeBody, decodeOptions, PROTOBUF } from './codec.ts';

const ENVELOPE = 'k8s\0\n\u000f\n\u0002v1\u0012\tConfigMap';
const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };
const QUIET = { strictness: 'Ignore', warn: () => {} } as const;

for (const [what, bytes, want] of [
	[
		'an envelope that is cut off',
		Buffer.from('k8s\0\n\u000f\n', 'latin1'),
		'the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b3873000a0f0a)',
	],
	[
		'a message that is cut off in a whole envelope',
		Buffer.from(`${ENVELOPE}\u0012\u0004\xff\xff\xff\xff`, 'latin1'),
		'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
	],
] as const)
	test(`refused: ${what}`, (t) => {
		t.is(t.throws(() => decodeBody(bytes, PROTOBUF, CONFIG_MAP, QUIET)).message, want);
		t.is(t.throws(() => decodeOptions(bytes, PROTOBUF, 'DeleteOptions')).message, 'unexpected EOF');
	});
