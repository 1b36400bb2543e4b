/** What upstream's scripts for kubectl stand in: a copy of their part of the sources, with the programs they drive. */
import { chmod, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { kubernetesSources, kubernetesTool } from '../upstream/tools.ts';

const PACKAGES = 'k8s.io/kubernetes/cmd';
const FOLDERS = ['hack', 'test/cmd', 'test/fixtures', 'test/e2e/testing-manifests', 'third_party/forked/shell2junit'];
/** Modules of Go come without leave to run their scripts. */
const PROGRAMS = ['hack/lib', 'test/fixtures/pkg/kubectl/plugins'];
/** What a script fetches from the repository lies in its copy, too. */
const REPOSITORY = 'https://raw.githubusercontent.com/kubernetes/kubernetes/master/';
const FETCHES = 'test/cmd/generic-resources.sh';

/** kubectl and kubectl-convert, as that release has them. */
export function kubectlPrograms(): Promise<string> {
	return kubernetesTool('kubectl-programs', { packages: [`${PACKAGES}/kubectl`, `${PACKAGES}/kubectl-convert`] });
}

/** Makes it in a folder that is there. @param files where the folder is served by HTTP, with the last slash */
export async function scriptsIn(root: string, programs: string, files: string): Promise<void> {
	const sources = await kubernetesSources();
	for (const folder of FOLDERS) {
		await mkdir(dirname(join(root, folder)), { recursive: true });
		await cp(join(sources, folder), join(root, folder), { recursive: true });
	}
	await allow(root);
	for (const folder of PROGRAMS) await allow(join(root, folder), 0o755);
	const fetches = join(root, FETCHES);
	await writeFile(fetches, (await readFile(fetches, 'utf8')).replaceAll(REPOSITORY, files));
	const bin = join(root, '_output', 'bin');
	await mkdir(bin, { recursive: true });
	for (const name of await readdir(programs)) await symlink(join(programs, name), join(bin, name));
}

/** Modules lie read-only, and scripts write beside their input. */
async function allow(dir: string, files = 0o644): Promise<void> {
	await chmod(dir, 0o755);
	for (const entry of await readdir(dir, { withFileTypes: true })) {
		const path = join(dir, entry.name);
		await (entry.isDirectory() ? allow(path, files) : chmod(path, files));
	}
}
