import test from 'ava';
import { readText } from '../../base/lines.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';

test('a server that is advertised by an IPv6 address is told of in brackets', async (t) => {
	const stop = new AbortController();
	const standard = { advertiseAddress: 'fd00::1', serviceCidr: 'fd00:1::/112' };
	const { client, stopped } = await testApiServer({ clock: realClock, log: noLog, standard }, stop.signal);
	t.teardown(() => (stop.abort(), stopped));
	const ask = async (path: string): Promise<unknown> =>
		JSON.parse(await readText((await client.transport.request({ method: 'GET', path }, stop.signal)).body));
	t.like(await ask('/api'), { serverAddressByClientCIDRs: [{ serverAddress: '[fd00::1]:6443' }] });
	t.like(await ask('/.well-known/openid-configuration'), { jwks_uri: 'https://[fd00::1]:6443/openid/v1/jwks' });
});
