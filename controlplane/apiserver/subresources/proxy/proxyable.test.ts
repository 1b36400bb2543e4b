import test from 'ava';
import { checkProxyable, isGlobalUnicast } from './proxyable.ts';

for (const [address, want] of [
	['10.0.0.1', true],
	['192.0.2.2', true],
	['fd00::1', true],
	['2001:db8::1', true],
	['::ffff:10.0.0.1', true],
	['127.0.0.1', false],
	['127.9.9.9', false],
	['0.0.0.0', false],
	['255.255.255.255', false],
	['224.0.0.1', false],
	['239.1.1.1', false],
	['169.254.169.254', false],
	['::1', false],
	['::', false],
	['::ffff:127.0.0.1', false],
	['fe80::1', false],
	['febf::1', false],
	['ff02::1', false],
	['', false],
	['node.example', false],
] as const)
	test(`a proxy ${want ? 'leads' : 'does not lead'} to ${JSON.stringify(address)}`, (t) => t.is(isGlobalUnicast(address), want));

test('a proxy does not lead to the API server by its name', async (t) => {
	await t.notThrowsAsync(checkProxyable('10.0.0.1'));
	await t.throwsAsync(checkProxyable('localhost'), { message: 'address not allowed' });
});
