import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { nullDeviceFault } from './null-device.ts';

test('/dev/null is looked at by what it is', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-null-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const path = join(dir, 'null');
	t.regex(nullDeviceFault(path) ?? '', /null is gone; as root: rm -f .*; mknod -m 666 .*null c 1 3$/);
	await writeFile(path, 'apiVersion: v1');
	t.regex(nullDeviceFault(path) ?? '', /null is a plain file of 14 bytes; as root/);
	t.regex(nullDeviceFault('/dev/zero') ?? '', /^\/dev\/zero is another device/);
	t.is(nullDeviceFault(), undefined);
});
