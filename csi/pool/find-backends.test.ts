/** What pools on other file systems are told. */
import test from 'ava';
import { fsTypeOf } from '../../host/filesystem.ts';
import { cannotEraseOn } from './find-backends.ts';

for (const [name, magic, cannot] of [
	['ext4', 0xef53, false],
	['xfs', 0x58465342, false],
	['tmpfs', 0x01021994, false],
	['btrfs', 0x9123683e, true],
	['zfs', 0x2fc12fc1, true],
	['bcachefs', 0xca451a4e, true],
	['nilfs2', 0x3434, true],
	['f2fs', 0xf2f52010, true],
] as const)
	test(`a pool on ${name} ${cannot ? 'cannot erase, and says why' : 'can erase'}`, (t) => {
		t.is(fsTypeOf(magic), name);
		t.is(fsTypeOf(magic | 0), name, 'as the kernel answers where its number has a sign');
		t.is(cannotEraseOn(name), cannot ? `${name} writes elsewhere what is overwritten` : undefined);
	});

test('a pool on a file system that nobody knows can erase', (t) => t.is(cannotEraseOn(fsTypeOf(1)), undefined));
