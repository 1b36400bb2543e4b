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
const CASES = 'test/cmd';
/** "Wait for certificate to not be empty": one that is not there yet is "<no value>", with which a script would go on where the signer is not the faster one. */
const WAIT = "'{{.status.certificate}}' '.+'";
const WAIT_AS_MEANT = "'{{with .status.certificate}}{{.}}{{end}}' '.+'";

/** kubectl and kubectl-convert, as that release has them. */
export function kubectlPrograms(): Promise<string> {
	return kubernetesTool('kubectl-programs', { packages: [`${PACKAGES}/kubectl`, `${PACKAGES}/kubectl-convert`] });
}

export interface Surroundings {
	/** The folder of kubectl and kubectl-convert. */
	readonly programs: string;
	/** Where the scripts' folder is served by HTTP, with the last slash. */
	readonly files: string;
	/** What the scripts write beside their folder goes here: others may run at the same time. */
	readonly temporary: string;
}

/** Makes it in a folder that is there. */
export async function scriptsIn(root: string, { programs, files, temporary }: Surroundings): Promise<void> {
	const sources = await kubernetesSources();
	for (const folder of FOLDERS) {
		await mkdir(dirname(join(root, folder)), { recursive: true });
		await cp(join(sources, folder), join(root, folder), { recursive: true });
	}
	await allow(root);
	for (const folder of PROGRAMS) await allow(join(root, folder), 0o755);
	for (const name of await readdir(join(root, CASES))) {
		const script = join(root, CASES, name);
		const text = (await readFile(script, 'utf8')).replaceAll(WAIT, WAIT_AS_MEANT);
		await writeFile(script, text.replaceAll(REPOSITORY, files).replaceAll('/tmp/tmp-', `${temporary}/tmp-`));
	}
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
