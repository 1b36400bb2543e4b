import test from 'ava';
import { forwardedPorts } from './forwarded-ports.ts';

const channels = { upgrade: 'websocket', 'sec-websocket-protocol': 'v4.channel.k8s.io' };

for (const [what, headers, query, want] of [
	['of SPDY none', { upgrade: 'SPDY/3.1' }, 'port=80', []],
	['of SPDY in a WebSocket none', { upgrade: 'websocket', 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' }, '', []],
	['of channels those of the URL', channels, 'port=80&port=81,82', [80, 81, 82]],
	['none', channels, '', 'query parameter "port" is required'],
	['an empty one', channels, 'port=', 'query parameter "port" cannot be empty'],
	['zero', channels, 'port=0', 'port "0" must be > 0'],
	['a word', channels, 'port=80,x', 'unable to parse "80,x" as a port: strconv.ParseUint: parsing "x": invalid syntax'],
	['too large', channels, 'port=65536', 'unable to parse "65536" as a port: strconv.ParseUint: parsing "65536": value out of range'],
] as const)
	test(`forwardedPorts(): ${what}`, (t) => {
		const ports = (): readonly number[] => forwardedPorts({ headers }, new URLSearchParams(query));
		if (typeof want === 'string') t.throws(ports, { message: want });
		else t.deepEqual(ports(), want);
	});
