import pytest

from tools.uv_settings import link_mode, pip_settings, uv_settings


def settings(pip=None, environment=None, platform="linux"):
    return uv_settings(pip or {}, environment or {}, platform)


def test_what_pip_lists():
    listed = [
        ":env:.index-url='https://three/simple'",
        "download.find-links='/elsewhere'",
        "global.cert='/certificates'",
        "global.extra-index-url='\\nhttps://one/simple\\nhttps://two/simple'",
        "global.index-url='https://one/simple'",
        "install.index-url='https://two/simple'",
    ]
    assert pip_settings(reversed(listed)) == {
        "cert": "/certificates",
        "extra-index-url": "\nhttps://one/simple\nhttps://two/simple",
        "index-url": "https://three/simple",
    }


@pytest.mark.parametrize(
    ("pip", "uv"),
    [
        ({"cert": "/c"}, {"SSL_CERT_FILE": "/c", "UV_TORCH_BACKEND": "cpu"}),
        (
            {"proxy": "http://p", "trusted-host": "a\nb"},
            {
                **{"HTTP_PROXY": "http://p", "HTTPS_PROXY": "http://p"},
                **{"UV_INSECURE_HOST": "a b", "UV_TORCH_BACKEND": "cpu"},
            },
        ),
        ({"index-url": "https://one/simple"}, {"UV_DEFAULT_INDEX": "https://one/simple"}),
        (
            {"extra-index-url": "\nhttps://one/simple\nfile:///two"},
            {
                "UV_INDEX": "https://one/simple file:///two",
                "UV_INDEX_STRATEGY": "unsafe-best-match",
            },
        ),
        ({"find-links": "/ /not/there https://w"}, {"UV_FIND_LINKS": "/,https://w"}),
        ({"no-index": "1", "find-links": "/"}, {"UV_FIND_LINKS": "/", "UV_OFFLINE": "1"}),
        ({"timeout": "180"}, {"UV_TORCH_BACKEND": "cpu"}),
    ],
    ids=lambda value: " ".join(value),
)
def test_pips_settings_keep_their_meaning(pip, uv):
    assert settings(pip) == uv


def test_uvs_own_settings_stay():
    pip = {"index-url": "https://one/simple", "cert": "/c"}
    own = {"UV_INDEX": "https://two/simple", "SSL_CERT_FILE": "/d"}
    assert settings(pip, own) == {}


def test_pytorch_without_a_gpu():
    assert settings() == {"UV_TORCH_BACKEND": "cpu"}
    assert settings(environment={"UV_TORCH_BACKEND": "cu130"}) == {}
    assert settings(platform="darwin") == {}


def test_copies_between_file_systems_without_a_warning(tmp_path):
    assert link_mode(tmp_path / "not" / "yet", tmp_path) == {}
    elsewhere = type(tmp_path)("/proc/self")
    assert link_mode(elsewhere, tmp_path) == {"UV_LINK_MODE": "copy"}
