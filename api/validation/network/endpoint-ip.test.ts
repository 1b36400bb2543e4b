import test from 'ava';
import type { FieldError } from '../../field-error.ts';
import { endpointIp } from './endpoint-ip.ts';

const LOOPBACK = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
const LINK_LOCAL = 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
const MULTICAST = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
const unspecified = (ip: string): string => `may not be unspecified (${ip})`;

for (const [ip, want] of [
	['10.0.0.1', []],
	['fe8::1', []],
	['ff2::1', []],
	['fea:0:0:0:0:0:0:1', []],
	['000.0.0.0', [unspecified('000.0.0.0')]],
	['0:0:0:0:0:0:0:0', [unspecified('0:0:0:0:0:0:0:0')]],
	['127.1.2.3', [LOOPBACK]],
	['::ffff:127.0.0.1', [LOOPBACK]],
	['0:0:0:0:0:0:0:1', [LOOPBACK]],
	['169.254.0.1', [LINK_LOCAL]],
	['FEBF::1', [LINK_LOCAL]],
	['224.0.0.251', [MULTICAST]],
	['ff02::1', [MULTICAST]],
	['a', ['must be a valid IP address']],
] as const)
	test(`addresses of endpoints: ${ip}`, (t) => {
		const out: FieldError[] = [];
		endpointIp(out, 'ip', ip);
		t.deepEqual(
			out.map(({ message }) => message),
			want.map((text) => `Invalid value: "${ip}": ${text}`),
		);
	});
